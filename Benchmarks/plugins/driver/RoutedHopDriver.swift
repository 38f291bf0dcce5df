import CastWire
import GatewayCore
import Logging
import NIOCore

/// Routes messages of as many senders as are under way at once, and counts the answers. Lives on the router's event loop.
final class RoutedHopDriver: RouterOutput {
    /// A message was not answered, but went on or was refused.
    struct Unanswered: Error {}

    private struct BenchDescription: DeviceDescription {
        func deviceInformation(requestID: RequestID) -> JSONObject { [:] }
        func setupInformation(params: [String]?) -> JSONObject { [:] }
    }

    private let router: MessageRouter
    private let eventLoop: any EventLoop
    private let facts = DeviceFacts(name: "bench", target: nil, description: BenchDescription())
    private var pace = Pace(count: 0)
    private var sentAt: [NIODeadline] = []
    private var answered: [Int] = []
    private var isRouting = false
    private var done: EventLoopPromise<Round>?

    init(registry: HandlerRegistry, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.router = MessageRouter(
            registry: registry, settings: RouterSettings(), eventLoop: eventLoop,
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
        self.router.start(output: self)
    }

    func run(depth: Int, count: Int) -> EventLoopFuture<Round> {
        let done = self.eventLoop.makePromise(of: Round.self)
        self.done = done
        self.pace = Pace(count: count)
        self.sentAt = Array(repeating: .now(), count: depth)
        self.answered = Array(0..<depth)
        self.routeNext()
        return done.futureResult
    }

    /// Routes the next message of every sender that has its answer. A handler that answers at once is asked again here, not
    /// within its answer.
    private func routeNext() {
        guard !self.isRouting else { return }
        self.isRouting = true
        while let sender = self.answered.popLast(), self.pace.takesOne() {
            let message = CastMessage(
                source: "sender-0", destination: "web-1", namespace: Sample.namespace, payload: .text(Sample.bytes))
            self.sentAt[sender] = .now()
            self.router.route(
                RoutedMessage(
                    message, direction: .toReceiver, device: self.facts,
                    connection: ConnectionID(rawValue: UInt64(sender)), senderAddress: "192.0.2.7"))
        }
        self.isRouting = false
        self.router.turnEnded()
    }

    func sendToSenders(_ message: CastMessage, connection: ConnectionID?) {
        guard let sender = connection.map({ Int($0.rawValue) }), message.payload.bytes == Sample.bytes else {
            self.done?.fail(Unanswered())
            return
        }
        if let round = self.pace.answered(since: self.sentAt[sender]) {
            self.done?.succeed(round)
        } else {
            self.answered.append(sender)
        }
    }

    func flush() {
        self.routeNext()
    }

    func forward(_ message: RoutedMessage) { self.done?.fail(Unanswered()) }
    func sendToReceiver(_ message: CastMessage, connection: ConnectionID?) {}
    func session(at transport: EndpointID) -> SessionFacts? { nil }
    func emit(_ event: GatewayEvent) {}
}
