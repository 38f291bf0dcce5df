import CastWire
package import GatewayJournal
package import GatewayMetrics
package import GatewayOperations
package import HTTPServing
import HTTPTypes
package import Hummingbird
import NIOCore

/// The WebSocket of the API, `/api/v1/socket`: calls of the catalogue, and the events of one subscription.
///
/// A client shows its token in the header `Authorization: Bearer TOKEN`, or, as browsers can, among the sub-protocols (`castway.v1`,
/// `castway.token.TOKEN`; only the first is chosen), or in the first frame. It never stands in the query, which logs show.
///
/// Failures of devices and sessions have a sentence in the language that `Accept-Language` of that request prefers, where it has the header.
package struct SocketRoutes: APIRoutes {
    /// Where it is.
    package static let path = "/api/v1/socket"
    package let pages = [Self.path]
    /// The sub-protocol.
    package static let subprotocol = "castway.v1"
    private static let tokenPrefix = "castway.token."
    /// A client that nothing is known of may not have much held for it: its first frame, as bytes.
    private static let bytesOfStranger = 64 << 10

    private let metrics: MetricsRegistry
    private let surroundings: APISocket.Surroundings

    /// Collects what sockets need; their calls are carried out while ``run()`` runs.
    /// - Parameters:
    ///   - rates: how often each caller may call; nil for as often as it likes.
    ///   - audit: learns of requests and tokens that are refused.
    ///   - metrics: where requests for sockets, and sockets, are counted.
    package init(
        catalogue: OperationCatalogue, events: any EventSource, authority: any CallerAuthority,
        rates: CallerRates? = nil, audit: (any AuditTrail)? = nil, metrics: MetricsRegistry = MetricsRegistry()
    ) {
        self.metrics = metrics
        self.surroundings = APISocket.Surroundings(
            events: events, authority: authority, calls: SocketCalls(catalogue: catalogue), rates: rates, audit: audit,
            clients: metrics.meter(.websocketClients))
    }

    /// Carries out the calls of all sockets until the task is cancelled. To be run once, beside the listener.
    package func run() async { await self.surroundings.calls.run() }

    /// Decides about a request that asks for a WebSocket.
    /// - Parameters:
    ///   - rules: which requests are taken at all.
    ///   - limits: what the socket may use.
    package func decide(
        _ request: UpgradeRequest, rules: RequestRules, limits: APISocketLimits = APISocketLimits()
    ) -> UpgradeDecision {
        guard request.path == Self.path else { return .answer }
        let decision = self.judge(request, rules, limits)
        switch decision {
        case .answer: break
        case .accept: self.count(status: 101)
        case .refuse(let refusal): self.count(status: refusal.status)
        }
        return decision
    }

    private func count(status: Int) { self.metrics.counter(.httpRequests, Self.path, "\(status)").increment() }

    private func judge(
        _ request: UpgradeRequest, _ rules: RequestRules, _ limits: APISocketLimits
    ) -> UpgradeDecision {
        if let problem = rules.refusal(of: request.head) { return self.refusal(problem, request) }
        do throws(OperationProblem) {
            guard request.query.isEmpty else {
                throw Self.badRequest("the socket takes no query; a token stands in a header or in the first frame")
            }
            let offered = request.elements(of: .secWebSocketProtocol)
            guard offered.isEmpty || offered.contains(Self.subprotocol) else {
                throw Self.badRequest("'\(Self.subprotocol)' is not among the sub-protocols")
            }
            let token = try Self.token(request, offered)
            let opening = try self.opening(CallerCredentials(token: token, address: request.address))
            var bytes: Int?
            switch opening {
            case .caller(let caller):
                try self.surroundings.rates?.admit(caller, from: request.address, at: .now())
            case .stranger:
                try self.surroundings.rates?.admitStranger(from: request.address, at: .now())
                bytes = Self.bytesOfStranger
            }
            let surroundings = self.surroundings
            let language = request.head.headerFields[.acceptLanguage].map { ErrorLanguage(acceptLanguage: $0) }
            return .accept(
                WebSocketAcceptance(
                    subprotocol: offered.isEmpty ? nil : Self.subprotocol, limits: limits.frames, bytesOfStranger: bytes
                ) { socket in
                    APISocket(
                        socket, opening, address: request.address, language: language, surroundings, limits)
                })
        } catch {
            return self.refusal(error, request)
        }
    }

    private func opening(_ credentials: CallerCredentials) throws(OperationProblem) -> APISocket.Opening {
        do throws(OperationProblem) {
            return .caller(try self.surroundings.authority.caller(showing: credentials))
        } catch {
            // It may still come in the first frame.
            guard credentials.token == nil, error.status == 401 else { throw error }
            return .stranger
        }
    }

    private static func token(
        _ request: UpgradeRequest, _ offered: [String]
    ) throws(OperationProblem) -> String? {
        var tokens: [String] = []
        for value in request.head.headerFields[values: .authorization] {
            guard let token = BearerToken(header: value) else {
                throw OperationProblem(
                    "unauthorized", status: 401, "the header Authorization must be 'Bearer TOKEN', with one token")
            }
            tokens.append(token.text)
        }
        for name in offered where name.hasPrefix(Self.tokenPrefix) {
            guard let token = BearerToken(String(name.dropFirst(Self.tokenPrefix.count))) else {
                throw OperationProblem("unauthorized", status: 401, "the token among the sub-protocols is none")
            }
            tokens.append(token.text)
        }
        guard tokens.count <= 1 else { throw Self.badRequest("one token is shown, in one place") }
        return tokens.first
    }

    private static func badRequest(_ detail: String) -> OperationProblem {
        OperationProblem("bad_request", status: 400, detail)
    }

    private func refusal(_ problem: OperationProblem, _ request: UpgradeRequest) -> UpgradeDecision {
        self.surroundings.audit?.record(
            AuditEntry(.requestRefused, outcome: problem.code, address: request.address))
        let answer = ControlAnswer(problem)
        var headers: [(name: String, value: String)] = []
        if problem.status == 401 { headers.append(("www-authenticate", "Bearer realm=\"castway\"")) }
        if problem.status == 429, let wait = problem.members.int("retry_after") {
            headers.append(("retry-after", "\(wait)"))
        }
        return .refuse(UpgradeRefusal(status: answer.status, problem: answer.body, headers: headers))
    }

    /// Adds the answer to requests that ask for no WebSocket, or not in the first request of their connection.
    package func add(to router: Router<CallerContext>) {
        router.get(RouterPath(Self.path)) { _, _ in
            var response = ControlAnswer.problem(
                status: 426, code: "upgrade_required",
                "this is a WebSocket; the first request of a connection can ask for it"
            ).response
            response.headers[.upgrade] = "websocket"
            return response
        }
    }
}

extension HTTPField.Name {
    fileprivate static var secWebSocketProtocol: HTTPField.Name { HTTPField.Name("Sec-WebSocket-Protocol") ?? .upgrade }
}

/// The authority of a listener that only the gateway's own user reaches.
struct AdminAuthority: CallerAuthority {
    func caller(showing credentials: CallerCredentials) throws(OperationProblem) -> Caller { .admin }

    func watch(_ caller: Caller, whenOver callback: @escaping @Sendable (String) -> Void) -> CallerWatch {
        CallerWatch {}
    }
}
