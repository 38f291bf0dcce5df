package import GatewayConfig
import HTTPFetching

/// `catalogues[]`: a list of videos on a web server or in a file, which is read again and again.
package struct CatalogueConfiguration: ConfigObject, Hashable {
    package var name = ""
    /// The URL of the list; nil for one in a file.
    package var url: String?
    /// The file of the list; nil for one on a web server.
    package var path: String?
    /// The time a list is good before it is read again.
    package var refresh = Duration.seconds(3600)
    /// The time reading it may take.
    package var timeout = Duration.seconds(15)
    /// The number of bytes it may have.
    package var size = 2 << 20
    /// The limit of items.
    package var items = 1000
    /// The MIME types of sources, the one that is taken first at the beginning.
    package var prefer = ["video/mp4", "application/dash+xml", "application/x-mpegurl"]
    /// Allows a server in a local network or on this machine.
    package var allowsPrivate = false
    /// Allows a server without TLS.
    package var allowsPlaintext = false

    package static let keys: [Key] = [
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

    package init(blank: ConfigBlank) {}

    /// A catalogue, for tests and programs.
    /// - Parameter change: sets what is not as in `gateway.yaml`.
    package init(name: String, _ change: (inout Self) -> Void = { _ in }) {
        self.name = name
        change(&self)
    }

    /// Equal in all that `gateway.yaml` says.
    package func hash(into hasher: inout Hasher) { hasher.combine(self.name) }

    /// Adds what is wrong with one catalogue: no place or two, a URL that may not be, and keys of a URL beside a file.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
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
        OutboundURL.check(
            section, risk: "the list could be changed", remedy: "something else protects it", problems: &problems,
            OutboundURL.init(_:))
    }
}
