import CastwayTestSupport
import Logging
import NIOCore
import Synchronization
import Testing

@testable import MessageBridges

/// A connection that runs while a test does, and what it tells.
final class ConnectionBench: Sendable {
    enum Event: Sendable {
        case opened(MQTTTerms)
        case closed(MQTTReason)
    }

    let connection: MQTTConnection
    let events = Inbox<Event>()
    let messages = Inbox<MQTTInbound>()
    let carrier = MQTTCarrier()
    let log = LogRecorder()

    init(
        port: Int, filters: [String] = [], _ change: (inout MQTTConnection.Settings) -> Void = { _ in },
        onMessage: (@Sendable (MQTTInbound) -> Void)? = nil
    ) throws {
        let address = try #require(MQTTAddress("mqtt://127.0.0.1:\(port)"))
        var settings = MQTTConnection.Settings(
            client: MosquittoClient.Options(
                address: address, clientID: "castway-gw1", willTopic: "castway/gw1/bridge/state"),
            filters: filters)
        settings.times.firstWait = .milliseconds(50)
        change(&settings)
        let (events, messages, carrier) = (self.events, self.messages, self.carrier)
        let slot = Mutex<MQTTConnection?>(nil)
        let connection = try MQTTConnection(
            settings,
            handlers: MQTTConnection.Handlers(
                opened: { terms in
                    if let connection = slot.withLock({ $0 }) { carrier.attach(connection) }
                    events.put(.opened(terms))
                },
                closed: { reason in
                    carrier.detach()
                    events.put(.closed(reason))
                },
                received: { message in
                    onMessage?(message)
                    messages.put(message)
                }), logger: self.log.logger())
        slot.withLock { $0 = connection }
        self.connection = connection
    }

    /// Runs the connection until the body has ended.
    @discardableResult func run<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                await self.connection.run()
                return nil
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// Waits for the connection.
    @discardableResult func opened() async throws -> MQTTTerms {
        try #require(await self.events.next { if case .opened(let terms) = $0 { terms } else { nil } })
    }

    /// Waits for the loss of the connection, or for an attempt that fails.
    @discardableResult func closed() async throws -> MQTTReason {
        try #require(await self.events.next { if case .closed(let reason) = $0 { reason } else { nil } })
    }

    /// Carries a message, as the outbox does.
    func carry(_ number: Int, to topic: String = "castway/gw1/device/hall/msg/rx/a", body: String? = nil) async
        -> DeliveryOutcome
    {
        await withCheckedContinuation { continuation in
            self.carrier.carry(.sample(number, to: topic, body)) { continuation.resume(returning: $0) }
        }
    }
}

extension OutboxMessage {
    static func sample(_ number: Int, to topic: String, _ body: String? = nil) -> OutboxMessage {
        OutboxMessage(
            sequence: Int64(number), id: "msg_\(number)", destination: "mqtt", device: "hall", type: "channel.message",
            takenAt: 0, address: topic, body: ByteBuffer(string: body ?? "{\"number\":\(number)}"), attempts: 0)
    }
}
