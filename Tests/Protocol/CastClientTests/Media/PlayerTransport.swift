import CastWire
import GatewayConfig
import NIOCore
import NIOPosix
import Testing

@testable import BuiltInReceiver
@testable import CastClient

/// The player as a transport: what is sent is answered on the same loop, in a later turn.
final class PlayerTransport: MediaTransport {
    let eventLoop: any EventLoop
    private var player: SimulatedPlayer
    private var driver: MediaClientDriver?
    private var timer: Scheduled<Void>?
    private var unsent: [CastMessage.Payload] = []

    /// What the app does not know, and does not answer.
    private let unknown: MediaRequestType?

    init(
        eventLoop: any EventLoop, failingOn pattern: String? = nil, ignoring unknown: MediaRequestType? = nil,
        buffering: Duration = .zero
    ) {
        self.eventLoop = eventLoop
        self.unknown = unknown
        var options = SimulationOptions {
            $0.loadDelay = .zero
            $0.buffering = buffering
        }
        if let pattern { options.failures = [SimulatedFailure(match: Glob(pattern)) { $0.detailedErrorCode = 104 }] }
        self.player = SimulatedPlayer(options: options, shuffleSeed: 1)
    }

    func connect() -> MediaClient {
        let driver = MediaClientDriver(eventLoop: self.eventLoop, counter: RequestCounter())
        self.driver = driver
        driver.attach(to: self, app: MediaBench.app())
        return driver.client
    }

    func disconnect() {
        self.timer?.cancel()
        self.driver?.detach()
        self.driver = nil
    }

    func suspend() { self.driver?.suspend() }

    func send(_ payload: CastMessage.Payload, in namespace: Namespace) {
        #expect(namespace == .media)
        self.unsent.append(payload)
    }

    func flush() {
        let payloads = self.unsent
        self.unsent = []
        let transport = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.eventLoop.execute { transport.value.arrived(payloads) }
    }

    private func arrived(_ payloads: [CastMessage.Payload]) {
        for payload in payloads {
            guard let json = payload.jsonObject, MediaRequest(json: json).type != self.unknown else { continue }
            self.perform(self.player.handle(json, from: "sender-0", at: self.eventLoop.now))
        }
    }

    private func perform(_ actions: [SimulatedPlayer.Action]) {
        for action in actions {
            switch action {
            case .reply(let json, _), .broadcast(let json):
                self.driver?.receive(
                    CastMessage(source: "t-1", destination: "*", namespace: .media, json: json))
            default: break
            }
        }
        self.timer?.cancel()
        guard let deadline = self.player.nextDeadline else { return }
        let transport = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.timer = self.eventLoop.scheduleTask(deadline: deadline) {
            transport.value.perform(transport.value.player.timerFired(at: transport.value.eventLoop.now))
        }
    }

    /// A client and the player that it is connected to, as long as `body` runs.
    static func with(
        failingOn pattern: String? = nil, ignoring unknown: MediaRequestType? = nil, buffering: Duration = .zero,
        _ body: (MediaClient, NIOLoopBound<PlayerTransport>) async throws -> Void
    ) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (client, transport) = try await loop.submit {
            let transport = PlayerTransport(
                eventLoop: loop, failingOn: pattern, ignoring: unknown, buffering: buffering)
            return (transport.connect(), NIOLoopBound(transport, eventLoop: loop))
        }.get()
        try await body(client, transport)
        try await loop.submit { transport.value.disconnect() }.get()
    }
}
