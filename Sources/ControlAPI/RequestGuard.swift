import GatewayConfig
import HTTPTypes
import Hummingbird

/// Keeps web pages away from the admin listener, and gives every error one shape.
///
/// A page may make a browser ask a loopback address: under a name of its own that resolves there (DNS rebinding), or
/// across sites. Programs say an IP address or `localhost`, and no `Origin`.
struct RequestGuard<Context: RequestContext>: RouterMiddleware {
    /// Whether `Host` is judged; on a socket of the file system it says nothing.
    let checksHost: Bool

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        if self.checksHost, !Self.isLiteral(request.head.authority) {
            return Self.refusal("host_not_allowed", "the Host of a request must be an IP address or localhost").response
        }
        if let origin = request.headers[.origin], !Self.isSame(origin, request.head.authority) {
            return Self.refusal("origin_not_allowed", "requests of other sites are refused").response
        }
        do {
            return try await next(request, context)
        } catch let error as HTTPError {
            let isUnknown = error.status == .notFound
            return ControlAnswer.problem(
                status: error.status.code, code: isUnknown ? "not_found" : "bad_request",
                isUnknown ? "there is nothing at \(request.method) \(request.uri.path)" : "\(error.status)"
            ).response
        } catch {
            return ControlAnswer.problem(status: 500, code: "internal_error", "\(error)").response
        }
    }

    private static func refusal(_ code: String, _ message: String) -> ControlAnswer {
        .problem(status: 403, code: code, message)
    }

    static func isLiteral(_ authority: String?) -> Bool {
        guard let authority else { return false }
        let host: Substring
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return false }
            host = authority[..<end].dropFirst()
            rest = authority[end...].dropFirst()
            // Only an IPv6 address stands in brackets, and a zone has no business there.
            guard host.contains(":"), !host.contains("%") else { return false }
        } else {
            let end = authority.firstIndex(of: ":") ?? authority.endIndex
            host = authority[..<end]
            rest = authority[end...]
        }
        guard rest.isEmpty || Self.isPort(rest) else { return false }
        return host.lowercased() == "localhost" || IPAddress(String(host)) != nil
    }

    /// A colon and the digits of a port; the digits may be missing (RFC 3986, 3.2.3).
    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        guard text.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        return digits.isEmpty || UInt16(digits) != nil
    }

    static func isSame(_ origin: String, _ authority: String?) -> Bool {
        guard let authority else { return false }
        return origin == "http://\(authority)"
    }
}
