import CastWire
import GatewayOperations
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Keeps web pages away from a listener, tells allowed ones that they may ask, and gives every answer its headers and every error
/// one shape.
struct RequestGuard: RouterMiddleware {
    /// What is refused; asked for every request.
    let rules: @Sendable () -> RequestRules
    /// How often callers may ask that are not known; nil for as often as they like.
    let rates: CallerRates?
    let audit: (any AuditTrail)?

    private static let headers = AnswerHeaders.all.compactMap { header in
        HTTPField.Name(header.name).map { (name: $0, value: header.value) }
    }

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
        if !context.standing.isKnown, let problem = self.haste(of: context) {
            response = ControlAnswer(problem).response
        }
        for (name, value) in Self.headers where response.headers[name] == nil { response.headers[name] = value }
        if let origin = rules.allowedOrigin(of: request.head) {
            response.headers[.accessControlAllowOrigin] = origin
            response.headers[.accessControlExposeHeaders] = "Retry-After, WWW-Authenticate"
        }
        if !rules.origins.isEmpty { response.headers[.vary] = "Origin" }
        return response
    }

    /// What a caller that is not known is told instead of its answer; nil while it asks seldom enough.
    private func haste(of context: CallerContext) -> OperationProblem? {
        do throws(OperationProblem) {
            try self.rates?.admitStranger(from: context.address, at: .now())
            return nil
        } catch {
            self.audit?.record(AuditEntry(.requestRefused, outcome: error.code, address: context.address))
            return error
        }
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
            return ControlAnswer(OperationProblem(fault: error, logger: context.logger)).response
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

extension OperationProblem {
    /// A fault of the gateway: what it is stands in the log alone, under an id that the caller is told.
    init(fault error: any Error, logger: Logger) {
        let id = String(UInt64.random(in: .min ... .max), radix: 16)
        logger.error("A request could not be answered", metadata: ["id": "\(id)", "error": "\(error)"])
        self.init(
            "internal_error", status: 500, "the gateway failed; its log has more under the id \(id)",
            members: ["id": .string(id)])
    }
}
