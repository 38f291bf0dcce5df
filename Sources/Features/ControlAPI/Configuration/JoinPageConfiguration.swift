import CastWire
package import GatewayConfig

/// `api.join`: the page on which guests redeem join codes.
package struct JoinPageConfiguration: ConfigSettings, Hashable {
    /// Where it listens; nil for nowhere.
    package var listen: ListenAddress?
    /// What guests' links begin with: a scheme and a host; nil for the listener's own.
    package var url: String?
    /// What TLS serves; nil for plain HTTP.
    package var tls: APIEncryption?
    /// Whether other machines may be served without TLS.
    package var allowsPlaintext = false
    /// The names under which guests reach it, beside IP addresses and `localhost`; in lower case.
    package var hosts: [String] = []

    /// The keys of `api.join`.
    package static let keys: [Key] = [
        .optional(
            "listen", \.listen, .listenAddress,
            "Where guests redeem join codes, on a page for phones that can do nothing else. Without it there is none",
            example: "0.0.0.0:8481", reload: .listener),
        .optional(
            "url", \.url, .text(maximumBytes: 300),
            "What links to it begin with, where guests reach it by another name or port; without it the first of `hosts`, or the machine's address",
            example: "https://cast.example.com", reload: .hot),
        .custom(
            "tls", APIEncryption.schema, .optional,
            "What TLS serves, as `api.tls`; phones warn of a certificate that the gateway makes under its own root",
            example: "auto",
            reload: .newConnections, isSame: { $0.tls == $1.tls },
            read: { value, join in join.tls = APIEncryption(value) }),
        Key(
            "allow_plaintext", \.allowsPlaintext, .boolean,
            "Whether guests are served without TLS, so that codes and tokens can be read on the way", reload: .hot),
        Key(
            "hosts", \.hosts, .list(of: .text(allowed: "a-z0-9.-", length: 1...253)),
            "The names under which guests reach it, beside IP addresses and `localhost`",
            example: "[cast.example.com]", reload: .hot),
    ]

    /// Without a page.
    package init() {}

    /// The names that the header `Host` may have, beside IP addresses and `localhost`.
    package var allowedHosts: Set<String> {
        var hosts = Set(self.hosts)
        if let host = self.listen?.host, IPAddress(host) == nil { hosts.insert(host.lowercased()) }
        if let host = self.url.flatMap(Self.host) { hosts.insert(host) }
        return hosts
    }

    /// The host of a site that is well-formed, in lower case, without its port.
    private static func host(of url: String) -> String? {
        guard let range = url.firstRange(of: "://") else { return nil }
        let authority = url[range.upperBound...]
        guard !authority.hasPrefix("[") else { return nil }
        return authority.prefix { $0 != ":" }.lowercased()
    }

    // MARK: Checks

    /// Adds what is wrong between the values: plain HTTP for other machines, a URL that is no site, and keys without an address.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        if section.isValid("url"), let url = section.optionalString("url"), !APIConfiguration.isOrigin(url) {
            problems.add(
                .malformedValue, at: section.location("url"),
                "'\(section.path("url"))' must be a scheme and a host, not '\(url.prefix(80))'",
                hint: "without a path, in lower case: https://cast.example.com")
        }
        guard section.isValid("listen") else {
            guard !section.has("listen") else { return }
            let key = ["tls", "url", "hosts"].first {
                section.isWritten($0) && section.value($0)?.list?.isEmpty != true
            }
            if let key {
                problems.add(
                    .inconsistent, at: section.location(key),
                    "'\(section.path(key))' has no effect without '\(section.path("listen"))'",
                    hint: "say where guests are served: listen: 0.0.0.0:8481")
            }
            return
        }
        let address = section.listenAddress("listen")
        guard !address.isLoopback, !section.has("tls"), !section.boolean("allow_plaintext") else { return }
        problems.add(
            .plainListener, at: section.location("listen"),
            "'\(section.path("listen"))' \(address) is open to other machines without TLS",
            hint:
                "add 'tls' with a certificate that phones trust, or say 'allow_plaintext: true' where codes may be seen on the way"
        )
    }
}
