import GatewayOperations
import HTTPTypes
import Hummingbird
import NIOCore

/// Finds out who sends a request, and refuses those who are not known or ask too often.
struct CallerGate: RouterMiddleware {
    /// How callers are told apart.
    enum Identity: Sendable {
        /// All who reach the listener are one caller: what reaches it is decided elsewhere.
        case all(Caller)
        /// By what they show.
        case authority(any CallerAuthority)
    }

    let identity: Identity
    /// How often each caller may ask; nil for as often as it likes.
    let rates: CallerRates?
    let audit: (any AuditTrail)?

    @concurrent func handle(
        _ request: Request, context: CallerContext,
        next: @concurrent (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do throws(OperationProblem) {
            context.caller = try self.caller(request, context)
            context.standing.callerIsKnown()
            try self.rates?.admit(context.caller, from: context.address, at: .now())
        } catch {
            self.audit?.record(
                AuditEntry(
                    .requestRefused, outcome: error.code,
                    caller: error.code == CallerRates.code ? context.caller.name : nil, address: context.address))
            return ControlAnswer(error).response
        }
        return try await next(request, context)
    }

    private func caller(_ request: Request, _ context: CallerContext) throws(OperationProblem) -> Caller {
        try self.identity.caller(request, context)
    }
}

extension CallerGate.Identity {
    /// Who sends a request.
    /// - Throws: `unauthorized` (401).
    func caller(_ request: Request, _ context: CallerContext) throws(OperationProblem) -> Caller {
        switch self {
        case .all(let caller): return caller
        case .authority(let authority):
            let header = request.headers[.authorization]
            let token = header.flatMap(BearerToken.init(header:))
            guard header == nil || token != nil else {
                throw OperationProblem(
                    "unauthorized", status: 401, "the header Authorization must be 'Bearer TOKEN', with one token")
            }
            return try authority.caller(
                showing: CallerCredentials(token: token?.text, address: context.address ?? "local"))
        }
    }
}

/// The token of a header `Authorization: Bearer TOKEN` (RFC 6750, 2.1).
package struct BearerToken: Sendable, Hashable {
    /// The most bytes that a token may have.
    package static let maximumLength = 512
    /// What a token consists of.
    private static let characters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=".utf8)

    /// The token.
    package let text: String

    /// Takes the value of the header; nil for one of another scheme, or of another shape.
    package init?(header: String) {
        let parts = header.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        self.init(String(parts[1]))
    }

    /// Takes a token; nil for what is none.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.characters.contains) else {
            return nil
        }
        self.text = text
    }
}
