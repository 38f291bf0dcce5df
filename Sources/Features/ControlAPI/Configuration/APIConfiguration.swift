import CastWire
package import GatewayConfig
package import GatewayJournal
import GatewayOperations

/// `api`: how other programs use the gateway over the network.
package struct APIConfiguration: ConfigSettings, Hashable {
    /// Where it listens; nil for nowhere.
    package var listen: ListenAddress?
    /// What TLS serves; nil for plain HTTP.
    package var tls: APIEncryption?
    /// Whether other machines may be served without TLS.
    package var allowsPlaintext = false
    /// The names under which callers reach it, beside IP addresses and `localhost`; in lower case.
    package var hosts: [String] = []
    /// The sites whose pages may use it.
    package var origins: [String] = []
    /// The tokens that the file knows.
    package var tokens: [APITokenConfiguration] = []
    /// How much of what happens is kept for readers of events, by every way in.
    package var events = EventsConfiguration()
    /// How much callers may ask.
    package var limits = APILimits()
    /// The page on which guests redeem join codes.
    package var join = JoinPageConfiguration()

    /// The keys of `api`.
    package static let keys: [Key] = [
        .optional(
            "listen", \.listen, .listenAddress,
            "Where programs reach the API over HTTP or HTTPS. Without it there is none",
            example: "127.0.0.1:8480", reload: .listener),
        .custom(
            "tls", APIEncryption.schema, .optional,
            "What TLS serves: `auto` for a certificate that the gateway makes under its root, or PEM files, which are read again at every "
                + "reload. Without it the API speaks plain HTTP",
            example: "auto", reload: .newConnections, isSame: { $0.tls == $1.tls },
            read: { value, api in api.tls = APIEncryption(value) }),
        Key(
            "allow_plaintext", \.allowsPlaintext, .boolean,
            "Whether other machines are served without TLS, so that tokens can be read on the way: behind a proxy that has TLS, for example",
            reload: .hot),
        Key(
            "hosts", \.hosts, .list(of: .text(allowed: "a-z0-9.-", length: 1...253)),
            "The names under which callers reach the API, beside IP addresses and `localhost`; they stand in the certificate that the gateway makes",
            example: "[castway.example.com]", reload: .hot),
        Key(
            "origins", \.origins, .list(of: .text(maximumBytes: 300)),
            "The sites whose pages may use the API, as browsers write them: scheme, host, and the port unless it is the scheme's own",
            example: "[\"https://console.example.com\"]", reload: .hot),
        Key(
            "tokens", \.tokens, .list(of: .object, namedBy: "name", \.name),
            "The tokens that callers show; `castway token create` makes others while the gateway runs. Without any token, callers of this "
                + "machine may read and control, and others nothing",
            example: "[{name: ci, token_file: \"${CREDENTIALS_DIRECTORY}/castway_ci\", scopes: [read, control]}]",
            reload: .hot),
        Key(
            "events", \.events, .object,
            "How much of what happens is kept for readers of events, by every way in, the admin listener too",
            reload: .restart),
        Key("limits", \.limits, .object, "How much callers may ask", reload: .hot),
        Key("join", \.join, .object, "The page on which guests redeem join codes"),
    ]

    /// Without an API.
    package init() {}

    /// Whether other machines reach it.
    package var isOpenToNetwork: Bool { self.listen.map { !$0.isLoopback } ?? false }

    /// The names that the header `Host` may have, beside IP addresses and `localhost`.
    package var allowedHosts: Set<String> {
        var hosts = Set(self.hosts)
        if let host = self.listen?.host, IPAddress(host) == nil { hosts.insert(host.lowercased()) }
        return hosts
    }

    // MARK: Checks

    /// Adds what is wrong between the values: plain HTTP for other machines, sites that are none, and keys without an address.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        for element in section.list("origins") {
            guard let text = element.string, !Self.isOrigin(text) else { continue }
            problems.add(
                .malformedValue, at: element.location,
                "'\(section.path("origins"))' must hold sites, not '\(text.prefix(80))'",
                hint:
                    "as browsers write them, without a path, in lower case: https://console.example.com, http://localhost:3000"
            )
        }
        guard section.isValid("listen") else {
            guard !section.has("listen") else { return }
            // What is printed with all defaults is read again, so that these alone say something.
            let key = ["tokens", "tls", "hosts", "origins"].first {
                section.isWritten($0) && section.value($0)?.list?.isEmpty != true
            }
            if let key {
                problems.add(
                    .inconsistent, at: section.location(key),
                    "'\(section.path(key))' has no effect without '\(section.path("listen"))'",
                    hint: "say where the API listens: listen: 127.0.0.1:8480")
            }
            return
        }
        let address = section.listenAddress("listen")
        guard !address.isLoopback, !section.has("tls"), !section.boolean("allow_plaintext") else { return }
        problems.add(
            .plainListener, at: section.location("listen"),
            "'\(section.path("listen"))' \(address) is open to other machines without TLS",
            hint: "add 'tls: auto', listen on 127.0.0.1, or say 'allow_plaintext: true' where something else encrypts")
    }

    /// Whether a text is an origin as browsers serialise them (RFC 6454, 6.2).
    static func isOrigin(_ text: String) -> Bool {
        for (scheme, port) in [("https://", 443), ("http://", 80)] where text.hasPrefix(scheme) {
            let authority = String(text.dropFirst(scheme.count))
            let isBare = authority.allSatisfy { $0.isASCII && !$0.isUppercase && !"/?#@*, ".contains($0) }
            guard isBare, !authority.isEmpty else { return false }
            guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else { return true }
            let digits = authority[authority.index(after: colon)...]
            return UInt16(digits).map { Int($0) != port && String($0) == digits } ?? false
        }
        return false
    }
}

/// `api.tls`: what TLS serves.
package enum APIEncryption: Sendable, Hashable {
    /// A certificate that the gateway makes under its root.
    case automatic
    /// PEM files: a certificate with those between it and its root, and its key.
    case files(certificate: String, privateKey: String)

    static let schema = ConfigSchema.oneOf(
        .word("auto"),
        .object([
            ConfigField(
                "certificate_file", .path, .required,
                "A PEM file with the certificate, and behind it those between it and its root",
                example: "${CREDENTIALS_DIRECTORY}/castway_api.crt"),
            ConfigField(
                "private_key_file", .path, .required, "A PEM file with the private key of the certificate",
                example: "${CREDENTIALS_DIRECTORY}/castway_api.key"),
        ]))

    init?(_ value: ConfigValue) {
        guard let section = value.section else {
            self = .automatic
            return
        }
        self = .files(
            certificate: section.string("certificate_file"), privateKey: section.string("private_key_file"))
    }
}

/// `api.limits`: how much callers may ask.
package struct APILimits: ConfigSettings, Hashable {
    /// Requests of one caller in a second, twice as many at once; nil for no limit.
    package var requestsPerSecond: Int? = 200
    /// The most bytes of a body.
    package var body = 1 << 20
    /// How many connections there may be.
    package var clients = 10_000

    /// The keys of `api.limits`.
    package static let keys: [Key] = [
        Key(
            "requests_per_second", \.requestsPerSecond, .integer(1...1_000_000, orNil: "off"),
            "How many requests a caller may make in a second, and twice as many at once; as many new connections an address"
        ),
        Key("body", \.body, .size(1024...64 << 20), "The most that the body of a request may have"),
        Key(
            "clients", \.clients, .integer(2...100_000),
            "How many connections there may be; when there are fewer descriptors, it gets its share of them"),
    ]

    /// The defaults of `gateway.yaml`.
    package init() {}
}
