import CastWire
import GatewayOperations
import HTTPTypes
import Hummingbird

/// Keeps web pages away from a listener, tells allowed ones that they may ask, and gives every answer its headers and every error
/// one shape.
struct RequestGuard: RouterMiddleware {
    /// What is refused; asked for every request.
    let rules: @Sendable () -> RequestRules
    let audit: (any AuditTrail)?

    /// Answers are for the one who asked, are what they say they are, and are shown in no frame.
    private static let headers: [(name: HTTPField.Name, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"), ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ].compactMap { pair in HTTPField.Name(pair.0).map { ($0, pair.1) } }

    private static let privateNetworkRequest = HTTPField.Name("Access-Control-Request-Private-Network")
    private static let privateNetwork = HTTPField.Name("Access-Control-Allow-Private-Network")

    @concurrent func handle(
        _ request: Request, context: CallerContext,
        next: @concurrent (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        let rules = self.rules()
        var response: Response
        if let problem = rules.refusal(of: request.head) {
            self.audit?.record(AuditEntry(.requestRefused, outcome: problem.code, address: context.address))
            response = ControlAnswer(problem).response
        } else if request.method == .options, rules.allowedOrigin(of: request.head) != nil,
            request.headers[.accessControlRequestMethod] != nil
        {
            response = Self.preflight(request)
        } else {
            response = await Self.answer(request, context, next)
        }
        for (name, value) in Self.headers where response.headers[name] == nil { response.headers[name] = value }
        if let origin = rules.allowedOrigin(of: request.head) {
            response.headers[.accessControlAllowOrigin] = origin
            response.headers[.accessControlExposeHeaders] = "Retry-After, WWW-Authenticate"
        }
        if !rules.origins.isEmpty { response.headers[.vary] = "Origin" }
        return response
    }

    private static func answer(
        _ request: Request, _ context: CallerContext,
        _ next: @concurrent (Request, CallerContext) async throws -> Response
    ) async -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError {
            let isUnknown = error.status == .notFound
            return ControlAnswer.problem(
                status: error.status.code, code: isUnknown ? "not_found" : "bad_request",
                isUnknown ? "there is nothing at \(request.method) \(request.uri.path)" : "\(error.status)"
            ).response
        } catch let problem as OperationProblem {
            return ControlAnswer(problem).response
        } catch {
            return ControlAnswer.problem(status: 500, code: "internal_error", "\(error)").response
        }
    }

    /// Tells a browser what a page of an allowed site may send.
    private static func preflight(_ request: Request) -> Response {
        var headers: HTTPFields = [
            .accessControlAllowMethods: "GET, POST, PUT, PATCH, DELETE",
            .accessControlAllowHeaders: "Authorization, Content-Type, Idempotency-Key, Last-Event-ID",
            .accessControlMaxAge: "600",
        ]
        if let asked = Self.privateNetworkRequest, let granted = Self.privateNetwork, request.headers[asked] == "true" {
            headers[granted] = "true"
        }
        return Response(status: .noContent, headers: headers)
    }
}
