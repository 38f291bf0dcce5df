import GatewayConfig
package import GatewayOperations
package import HTTPTypes
import SystemPrimitives

/// Which requests a listener takes at all, by any sender: those that no web page can have made a browser send.
///
/// A page may make a browser ask an address that it cannot reach itself: under a name of its own that resolves there (DNS
/// rebinding), or across sites. Programs say an IP address or `localhost`, and no `Origin`; pages of the operator's are named.
package struct RequestRules: Sendable, Hashable {
    /// Whether `Host` is judged; on a socket of the file system it says nothing.
    package var checksHost: Bool
    /// Whether the listener speaks TLS, so that its own pages are of `https`.
    package var isSecure: Bool
    /// The names that `Host` may have beside IP addresses and `localhost`, in lower case.
    package var hosts: Set<String>
    /// The sites whose pages may ask, as `Origin` says them: `https://console.example.com`.
    package var origins: Set<String>
    /// Whether the listener is for people: its own pages send forms, and links of other sites lead to them.
    package var isForPeople: Bool
    /// The sites that are the listener itself under another name, behind a proxy for example.
    package var ownSites: Set<String>

    /// Makes rules; without any, only programs and the listener's own pages may ask.
    package init(
        checksHost: Bool = true, isSecure: Bool = false, hosts: Set<String> = [], origins: Set<String> = [],
        isForPeople: Bool = false, ownSites: Set<String> = []
    ) {
        self.isForPeople = isForPeople
        self.ownSites = ownSites
        self.checksHost = checksHost
        self.isSecure = isSecure
        self.hosts = hosts
        self.origins = origins
    }

    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")
    private static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")
    private static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")
    /// What a page can send across sites without asking first (Fetch standard, 2.2.2): no JSON, whatever stands in it.
    private static let formTypes: Set<String> = [
        "application/x-www-form-urlencoded", "multipart/form-data", "text/plain",
    ]
    /// Names of keys in queries that callers of other programs put their tokens in, without `_` and `-`.
    private static let tokenKeys: Set<String> = [
        "token", "accesstoken", "authtoken", "apitoken", "apikey", "authorization", "bearer",
    ]

    /// Why a request is refused; nil when it may go on.
    package func refusal(of request: HTTPRequest) -> OperationProblem? {
        if self.checksHost, !self.isOwn(request.authority) {
            return OperationProblem(
                "host_not_allowed", status: 403,
                "the Host of a request must be an IP address, localhost, or a name in `hosts` of the listener's configuration"
            )
        }
        let isAllowed = self.allowedOrigin(of: request) != nil
        if let origin = request.headerFields[.origin], !isAllowed, !self.isSame(origin, request.authority) {
            return OperationProblem(
                "origin_not_allowed", status: 403,
                "requests of other sites are refused; `api.origins` names those that may ask the API")
        }
        if let name = Self.fetchSite, let site = request.headerFields[name]?.lowercased(), !isAllowed,
            site != "same-origin", site != "none", !self.isVisit(request)
        {
            return OperationProblem(
                "origin_not_allowed", status: 403,
                "requests of other sites are refused; `api.origins` names those that may ask the API")
        }
        if Self.hasToken(inQueryOf: request.path ?? "") {
            return OperationProblem(
                "token_in_query", status: 400,
                "a token stands in the header 'Authorization: Bearer TOKEN', never in a query, which logs and histories keep"
            )
        }
        if self.checksHost, !self.isForPeople, let type = request.headerFields[.contentType], Self.isForm(type) {
            return OperationProblem(
                "unsupported_media_type", status: 415, "the Content-Type of a body must be application/json")
        }
        return nil
    }

    /// The site of a request, when it is one of those that may ask.
    package func allowedOrigin(of request: HTTPRequest) -> String? {
        request.headerFields[.origin].flatMap { self.origins.contains($0) ? $0 : nil }
    }

    /// Whether an authority is the listener under a name that no page can have chosen.
    private func isOwn(_ authority: String?) -> Bool {
        guard let authority, let host = Self.host(of: authority) else { return false }
        let name = host.lowercased()
        return name == "localhost" || IPAddress(String(host)) != nil || self.hosts.contains(name)
    }

    /// Whether a person follows a link of another site to a page for people: that changes nothing, and the other site sees nothing of it.
    private func isVisit(_ request: HTTPRequest) -> Bool {
        guard self.isForPeople, request.method == .get, let mode = Self.fetchMode,
            let destination = Self.fetchDestination
        else { return false }
        return request.headerFields[mode] == "navigate" && request.headerFields[destination] == "document"
    }

    private func isSame(_ origin: String, _ authority: String?) -> Bool {
        if self.ownSites.contains(origin) { return true }
        guard let authority else { return false }
        return origin == "\(self.isSecure ? "https" : "http")://\(authority)"
    }

    /// The host of an authority that is well-formed; nil for anything else.
    private static func host(of authority: String) -> Substring? {
        let host: Substring
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[..<end].dropFirst()
            rest = authority[end...].dropFirst()
            // Only an IPv6 address stands in brackets, and a zone has no business there.
            guard host.contains(":"), !host.contains("%") else { return nil }
        } else {
            let end = authority.firstIndex(of: ":") ?? authority.endIndex
            host = authority[..<end]
            rest = authority[end...]
        }
        return rest.isEmpty || Self.isPort(rest) ? host : nil
    }

    /// A colon and the digits of a port; the digits may be missing (RFC 3986, 3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        guard text.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        return digits.isEmpty || UInt16(digits) != nil
    }

    private static func hasToken(inQueryOf path: String) -> Bool {
        guard let question = path.firstIndex(of: "?") else { return false }
        return path[question...].dropFirst().split(separator: "&").contains { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = (parts[0].percentDecoded ?? "").lowercased().filter { $0 != "_" && $0 != "-" }
            let value = parts.count > 1 ? parts[1].percentDecoded ?? "" : ""
            return Self.tokenKeys.contains(name) || value.hasPrefix(APIToken.prefix)
        }
    }

    private static func isForm(_ contentType: String) -> Bool {
        let type = contentType.prefix { $0 != ";" && $0 != "," }.lowercased().filter { $0 != " " && $0 != "\t" }
        return Self.formTypes.contains(type)
    }
}

/// How tokens that the gateway makes begin.
package enum APIToken {
    /// So that tokens that went astray are found, in logs and in repositories.
    package static let prefix = "cwt_"
}
