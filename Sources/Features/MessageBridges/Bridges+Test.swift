package import CastWire
import GatewayJournal
import NIOCore
import Synchronization

/// One step of a try of a bridge: `castway channel test` shows them.
package struct BridgeTestStep: Sendable, Hashable {
    /// The bridge, as the outbox calls it: `webhook:backend`, `mqtt`.
    package let bridge: String
    /// The step: `name`, `address`, `connection`, `answer`; `publish` at the broker.
    package let name: String
    /// True if the step succeeded.
    package let isFine: Bool
    /// The outcome, for people.
    package let text: String
    /// The milliseconds from the beginning to the end of the step; nil for one that takes none.
    package let milliseconds: Double?

    package init(bridge: String, name: String, isFine: Bool, text: String, milliseconds: Double? = nil) {
        self.bridge = bridge
        self.name = name
        self.isFine = isFine
        self.text = text
        self.milliseconds = milliseconds
    }
}

/// Tries bridges by the same code that delivers messages, past the outbox: nothing waits, and nothing is tried again.
extension Bridges {
    private static let type = "channel.test"

    /// Sends a webhook one request, over a connection of its own.
    /// - Parameters:
    ///   - namespace: the channel that is tried, which the body names.
    ///   - json: goes as `json` of the body.
    /// - Returns: nil for a webhook that is not there.
    package func test(webhook name: String, namespace: Namespace, json: JSONValue) async -> [BridgeTestStep]? {
        guard let client = self.testClient(ofWebhook: name) else { return nil }
        defer { client.close() }
        let report = await client.test(id: OutboxID.random.text, body: self.body(namespace, json))
        return report.steps.map { step in
            BridgeTestStep(
                bridge: Self.destination(ofWebhook: name), name: step.name, isFine: step.isFine, text: step.text,
                milliseconds: step.milliseconds)
        }
    }

    /// Publishes one message at the broker, on the topic `bridge/test`, and waits for the acknowledgement.
    /// - Returns: nil when there is no broker.
    package func testBroker(namespace: Namespace, json: JSONValue) async -> [BridgeTestStep]? {
        guard let (carrier, topic) = self.testCarrier else { return nil }
        let begin = NIODeadline.now()
        let id = OutboxID.random
        let message = OutboxMessage(
            sequence: id.sequence, id: id.text, destination: Self.broker, type: Self.type, takenAt: self.outbox.now,
            address: topic, body: self.body(namespace, json))
        let outcome = await withCheckedContinuation { continuation in
            carrier.carry(message) { continuation.resume(returning: $0) }
        }
        let time = Double((NIODeadline.now() - begin).nanoseconds) / 1e6
        let text =
            switch outcome {
            case .delivered: "published at '\(topic)', and acknowledged"
            case .refused(let reason), .unavailable(let reason, _), .absent(let reason), .gone(let reason): reason
            }
        return [
            BridgeTestStep(
                bridge: Self.broker, name: "publish", isFine: outcome == .delivered, text: text, milliseconds: time)
        ]
    }

    private func body(_ namespace: Namespace, _ json: JSONValue) -> ByteBuffer {
        var body = ByteBuffer()
        JSONWriter.write(
            .object([
                "type": .string(Self.type), "timestamp": .string(JournalInstant.text(self.outbox.now)),
                "data": ["namespace": .string(namespace.rawValue), "json": json],
            ]), to: &body)
        return body
    }
}
