import HTTPFetching
import SystemPrimitives

/// The `url` of a webhook: a URL whose path and query may hold placeholders, which each message fills in, percent-encoded.
///
/// The host and the port are always the operator's own words: what a sender sends has no part in where it goes.
struct WebhookURLTemplate: Sendable, Hashable {
    /// The URL with `-` in the place of each placeholder.
    let url: OutboundURL
    private let origin: String
    private let target: AddressTemplate

    /// Reads a URL.
    /// - Throws: ``OutboundURL/Malformed``, also for a placeholder that is none or stands before the path.
    init(_ text: String) throws(OutboundURL.Malformed) {
        let scheme = text.prefix { $0 != ":" }
        let authority = text.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
        let origin = text.prefix(scheme.count + 3 + authority.count)
        guard !origin.contains("{"), !origin.contains("}") else {
            throw OutboundURL.Malformed(
                description: "has a placeholder before its path",
                hint: "{device} and others may stand in the path and in the query")
        }
        let target: AddressTemplate
        do throws(AddressTemplate.Malformed) {
            target = try AddressTemplate(text.dropFirst(origin.count))
        } catch {
            throw OutboundURL.Malformed(description: error.description)
        }
        self.url = try OutboundURL(origin + target.text(.init()) { $0 })
        self.origin = String(origin)
        self.target = target
    }

    /// True if every message goes to the same URL.
    var isFixed: Bool { self.target.isFixed }

    /// The URL for one message.
    /// - Returns: nil when it would be too long.
    func url(for values: AddressTemplate.Values) -> OutboundURL? {
        try? OutboundURL(self.origin + self.target.text(values, encode: Self.encoded))
    }

    /// A value as one segment of a path or one value of a query: only unreserved characters (RFC 3986, section 2.3) stay. A value of points
    /// alone, encoded or not, would be a step up a path, and counts as missing.
    private static func encoded(_ value: String) -> String {
        if value.utf8.allSatisfy({ $0 == UInt8(ascii: ".") }) { return AddressTemplate.missing }
        return value.percentEncoded()
    }
}
