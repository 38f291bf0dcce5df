public import GatewayConfig
import HTTPFetching

/// `catalogues[]`: a list of videos on a web server or in a file, which is read again and again.
public struct CatalogueConfiguration: ConfigObject, Hashable {
    /// The name by which callers mean it.
    public var name = ""
    /// Where the list is fetched; nil for one in a file.
    public var url: String?
    /// The file of the list; nil for one on a web server.
    public var path: String?
    /// How long a list is good before it is read again.
    public var refresh = Duration.seconds(3600)
    /// How long reading it may take.
    public var timeout = Duration.seconds(15)
    /// How many bytes it may have.
    public var size = 2 << 20
    /// How many items it may have.
    public var items = 1000
    /// The MIME types of sources, the one that is taken first at the beginning.
    public var prefer = ["video/mp4", "application/dash+xml", "application/x-mpegurl"]
    /// Whether the server may be in a local network or on this machine.
    public var allowsPrivate = false
    /// Whether the server may be without TLS.
    public var allowsPlaintext = false

    /// The keys of `catalogues[]`.
    public static let keys: [Key] = [
        .required(
            "name", \.name, .text(allowed: "a-z0-9_-", length: 1...32), "The name by which callers mean the list",
            example: "films"),
        .optional(
            "url", \.url, .text(maximumBytes: 4096),
            "Where the list is fetched, by GET. A list that has not changed is not sent again where the server tells with `ETag` or "
                + "`Last-Modified`; three redirects are followed",
            example: "https://media.example.com/films.json"),
        .optional(
            "path", \.path, .path, "The file of the list, for one that is on this machine", example: "films.json"),
        Key(
            "refresh", \.refresh, .duration(.seconds(10) ... .seconds(7 * 86400)),
            "How often the list is read; after a failure sooner, and the last good list stays in use"),
        Key(
            "timeout", \.timeout, .duration(.milliseconds(100) ... .seconds(120)),
            "How long reading it may take, from the look-up of the name to the end of the answer"),
        Key("size", \.size, .size(1024...(16 << 20)), "How large the list may be"),
        Key("items", \.items, .integer(1...10_000), "How many items it may have"),
        Key(
            "prefer", \.prefer, .list(of: .text(maximumBytes: 128)),
            "Which source of an item is played, by its MIME type, when the caller names none; one that is not listed comes last"
        ),
        Key(
            "allow_private", \.allowsPrivate, .boolean,
            "Whether the server may have an address of a local network or of this machine. Link-local and metadata addresses are always "
                + "refused"),
        Key(
            "allow_http", \.allowsPlaintext, .boolean,
            "Whether the URL may be `http://`, so that the list can be changed on the way"),
    ]

    /// What holds before anything is read.
    public init(blank: ConfigBlank) {}

    /// A catalogue, for tests and programs.
    /// - Parameter change: sets what is not as in `gateway.yaml`.
    public init(name: String, _ change: (inout Self) -> Void = { _ in }) {
        self.name = name
        change(&self)
    }

    /// Equal in all that `gateway.yaml` says.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.name) }

    /// Adds what is wrong with one catalogue: no place or two, a URL that may not be, and keys of a URL beside a file.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        if section.has("url") == section.has("path") {
            problems.add(
                section.has("url") ? .inconsistent : .missingKey,
                at: section.has("url") ? section.location("path") : section.location,
                "'\(section.path)' needs exactly one of 'url' and 'path'",
                hint: "url: https://media.example.com/films.json")
        }
        for key in ["timeout", "allow_private", "allow_http"]
        where section.isWritten(key) && section.has("path") && !section.has("url") {
            problems.add(
                .inconsistent, at: section.location(key), "'\(section.path(key))' has no effect without 'url'")
        }
        self.checkURL(section, problems: &problems)
    }

    private static func checkURL(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.isValid("url") else { return }
        let (place, path) = (section.location("url"), section.path("url"))
        let url: OutboundURL
        do throws(OutboundURL.Malformed) {
            url = try OutboundURL(section.string("url"))
        } catch {
            problems.add(.malformedValue, at: place, "'\(path)' \(error)", hint: error.hint)
            return
        }
        if !url.isEncrypted, !section.boolean("allow_http") {
            problems.add(
                .inconsistent, at: place, "'\(path)' has no TLS, so that the list could be changed on the way",
                hint: "use https://, or say 'allow_http: true' where something else protects it")
        }
        let rule = OutboundAddressRule(allowsPrivate: section.boolean("allow_private"))
        for address in HostResolver.addresses(ofLiteral: url) {
            guard let refusal = rule.refusal(of: address) else { continue }
            problems.add(.notAllowed, at: place, "'\(path)' leads to \(address): \(refusal)")
            return
        }
    }
}
