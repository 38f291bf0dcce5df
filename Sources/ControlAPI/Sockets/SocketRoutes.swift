public import GatewayJournal
public import GatewayOperations
public import HTTPServing
import HTTPTypes
public import Hummingbird
import NIOCore

/// The WebSocket of the API, `/api/v1/socket`: calls of the catalogue, and the events of one subscription.
///
/// A client shows its token in the header `Authorization: Bearer TOKEN`, or, as browsers can, among the sub-protocols (`castway.v1`,
/// `castway.token.TOKEN`; only the first is chosen), or in the first frame. It never stands in the query, which logs show.
public struct SocketRoutes: APIRoutes {
    /// Where it is.
    public static let path = "/api/v1/socket"
    /// The sub-protocol.
    public static let subprotocol = "castway.v1"
    private static let tokenPrefix = "castway.token."
    /// A client that nothing is known of may not have much held for it.
    private static let strangersMessageBytes = 64 << 10

    /// Its path.
    public let pages = [Self.path]
    /// A request that asks for no socket is answered without a token: it says how to ask.
    public let isOpen = true

    private let audit: (any AuditTrail)?
    private let surroundings: APISocket.Surroundings

    /// Collects what sockets need; their calls are carried out while ``run()`` runs.
    /// - Parameters:
    ///   - rates: how often each caller may call, over all its sockets and requests; nil for as often as it likes.
    ///   - audit: learns of sockets that are refused.
    public init(
        catalogue: OperationCatalogue, events: any EventSource, authority: any CallerAuthority,
        limits: APISocketLimits = APISocketLimits(), rates: CallerRates? = nil, audit: (any AuditTrail)? = nil
    ) {
        self.audit = audit
        self.surroundings = APISocket.Surroundings(
            events: events, authority: authority, calls: SocketCalls(catalogue: catalogue), limits: limits,
            rates: rates, audit: audit)
    }

    /// Carries out the calls of all sockets until the task is cancelled. To be run once, beside the listener.
    public func run() async { await self.surroundings.calls.run() }

    /// Decides about a request that asks for a WebSocket.
    /// - Parameter rules: judge its headers, as those of every request.
    public func decide(_ request: UpgradeRequest, under rules: RequestRules) -> UpgradeDecision {
        guard request.path == Self.path else { return .answer }
        if let problem = rules.refusal(of: request) { return self.refusal(problem, request) }
        do throws(OperationProblem) {
            guard request.query.isEmpty else {
                throw Self.badRequest("the socket takes no query; a token stands in a header or in the first frame")
            }
            let offered = request.elements(of: "sec-websocket-protocol")
            guard offered.isEmpty || offered.contains(Self.subprotocol) else {
                throw Self.badRequest("'\(Self.subprotocol)' is not among the sub-protocols")
            }
            let token = try Self.token(request, offered)
            let opening = try self.opening(CallerCredentials(token: token, address: request.address))
            var limits = self.surroundings.limits.frames
            if case .stranger = opening {
                limits.maximumMessageBytes = min(limits.maximumMessageBytes, Self.strangersMessageBytes)
            }
            let surroundings = self.surroundings
            return .accept(
                WebSocketAcceptance(subprotocol: offered.isEmpty ? nil : Self.subprotocol, limits: limits) { socket in
                    APISocket(socket, opening, address: request.address, surroundings)
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
        for value in request.values(of: "authorization") {
            let parts = value.split(separator: " ")
            guard parts.count == 2, parts[0].lowercased() == "bearer" else {
                throw Self.badRequest("Authorization is 'Bearer TOKEN'")
            }
            tokens.append(String(parts[1]))
        }
        for name in offered where name.hasPrefix(Self.tokenPrefix) {
            tokens.append(String(name.dropFirst(Self.tokenPrefix.count)))
        }
        guard tokens.count <= 1 else { throw Self.badRequest("one token is shown, in one place") }
        return tokens.first
    }

    private static func badRequest(_ detail: String) -> OperationProblem {
        OperationProblem("bad_request", status: 400, detail)
    }

    private func refusal(_ problem: OperationProblem, _ request: UpgradeRequest) -> UpgradeDecision {
        self.audit?.record(AuditEntry(.requestRefused, outcome: problem.code, address: request.address))
        let answer = ControlAnswer(problem)
        let headers = problem.status == 401 ? [(name: "www-authenticate", value: "Bearer")] : []
        return .refuse(UpgradeRefusal(status: answer.status, problem: answer.body, headers: headers))
    }

    /// Adds the answer to requests that ask for no WebSocket, or not in the first request of their connection.
    public func add(to router: Router<CallerContext>) {
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

extension RequestRules {
    /// Why a request for a socket is refused; nil when it may go on.
    func refusal(of request: UpgradeRequest) -> OperationProblem? {
        let hosts = request.values(of: "host")
        guard hosts.count == 1, request.values(of: "origin").count <= 1 else {
            return OperationProblem("bad_request", status: 400, "a request has one Host, and one Origin at most")
        }
        var head = HTTPRequest(method: .get, scheme: nil, authority: hosts[0], path: request.target)
        for name in ["Origin", "Sec-Fetch-Site"] {
            if let field = HTTPField.Name(name), let value = request.values(of: name).first {
                head.headerFields[field] = value
            }
        }
        return self.refusal(of: head)
    }
}

/// The authority of a listener that only the gateway's own user reaches.
struct AdminAuthority: CallerAuthority {
    func caller(showing credentials: CallerCredentials) throws(OperationProblem) -> Caller { .admin }

    func watch(_ caller: Caller, whenOver callback: @escaping @Sendable (String) -> Void) -> CallerWatch {
        CallerWatch {}
    }
}
