import CastTransport
import CastWire
import CastwayTestSupport
import ControlAPI
import GatewayConfig
import GatewayJournal
import GatewayOperations
import HTTPServing
import Logging
import NIOCore
import NIOPosix

/// A listener with the socket of the API, a journal that says what a test wants, and two operations.
struct SocketBench {
    let port: Int
    let journal: FakeJournal
    let authority: FakeAuthority
    let admission: Admission
    let listener: HTTPListener
    /// Calls of `thing.wait` end when this is told, or when they are cancelled, which `ends` tells.
    let gate: Gate

    final class Gate: Sendable {
        let begun = Inbox<Bool>()
        let open = Inbox<Bool>()
        let ends = Inbox<String>()
    }

    static func with(
        journal: FakeJournal = FakeJournal(), authority: FakeAuthority = FakeAuthority(takesStrangers: true),
        limits: APISocketLimits = APISocketLimits(), rates: CallerRates? = nil, body: (SocketBench) async throws -> Void
    ) async throws {
        let gate = Gate()
        let connections = ConnectionLimits(total: 20_000, perAddress: 20_000)
        let admission = Admission(senders: connections, setup: connections, admin: connections)
        let routes = SocketRoutes(
            catalogue: OperationCatalogue([Say(), Wait(gate: gate)]), events: journal, authority: authority,
            rates: rates)
        let listener = try await HTTPListener(
            at: .address(host: "127.0.0.1", port: 0), kind: .admin, admission: admission,
            on: MultiThreadedEventLoopGroup.singleton, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            upgrades: { routes.decide($0, rules: RequestRules(checksHost: false), limits: limits) }
        ) { _, _, _ in }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await listener.run() }
            group.addTask { await routes.run() }
            try await body(
                SocketBench(
                    port: listener.port ?? 0, journal: journal, authority: authority, admission: admission,
                    listener: listener, gate: gate))
            await listener.stop()
            group.cancelAll()
        }
    }

    /// Opens the socket of the API.
    func open(_ headers: [String: String] = [:], body: (WebSocketPeer) async throws -> Void) async throws {
        try await HTTPPeer.connect(to: self.port) { peer in
            let socket = WebSocketPeer(peer)
            let answer = await socket.open(SocketRoutes.path, headers)
            guard answer.hasPrefix("HTTP/1.1 101") else { throw Refused(answer: answer) }
            try await body(socket)
        }
    }

    struct Refused: Error {
        let answer: String
    }
}

extension WebSocketPeer {
    /// The next text as JSON; for a Close frame its code as `{"close":…}`.
    func json() async -> JSONObject {
        while let frame = await self.next() {
            switch frame.first {
            case 0x81: return (try? JSONReader.read(frame.payload))?.objectValue ?? [:]
            case 0x88: return ["close": .number(Int(frame.code ?? 0))]
            default: continue
            }
        }
        return ["over": true]
    }
}

/// `thing.say`; what is `lost` cannot be said.
private struct Say: GatewayOperation {
    struct Input: OperationInput {
        var text = ""
        static let keys: [Key] = [.required("text", \.text, .text(maximumBytes: 60_000), "What is said")]
        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "thing.say"
    static let route = OperationRoute(.post, "/say")
    static let scope = OperationScope.read
    static let reach = OperationReach.anyone
    static let summary = "Says what it was told"
    static let result = OperationResult("What was said", status: 201, [])

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        guard input.text != "lost" else {
            throw OperationProblem(deviceFailure: .noMediaSession, "'lost' plays nothing")
        }
        return ["said": .string(input.text), "caller": .string(caller.name)]
    }
}

/// `thing.wait`
private struct Wait: GatewayOperation {
    static let name: OperationName = "thing.wait"
    static let route = OperationRoute(.post, "/wait")
    static let scope = OperationScope.read
    static let reach = OperationReach.anyone
    static let summary = "Waits"
    static let result = OperationResult("Whether it was opened", [])
    let gate: SocketBench.Gate

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        self.gate.begun.put(true)
        let isOpen = await self.gate.open.next() ?? false
        self.gate.ends.put(isOpen ? "opened" : "cancelled")
        return ["opened": .bool(isOpen)]
    }
}
