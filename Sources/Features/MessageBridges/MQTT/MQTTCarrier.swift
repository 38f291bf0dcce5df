import NIOCore
import Synchronization

/// Carries messages of the outbox to the broker: published with QoS 1 in their order, and delivered when the broker has acknowledged
/// them.
///
/// While there is no connection nothing is carried. When one is lost all that was under way comes back, and what follows comes back at
/// once, until the outbox goes on. A connection that comes while the outbox hands messages over is used when the outbox knows what has come
/// back: otherwise those that did, for there was none yet, would be overtaken by the next. It outlives the connections, which come and go
/// with the configuration too.
final class MQTTCarrier: MessageCarrier {
    /// The limit of messages that the outbox may have under way.
    static let order = DeliveryOrder.pipelined(window: MosquittoClient.sendMaximum)
    /// After so many seconds the broker forgets a message that its subscribers have not fetched.
    static let expiry: UInt32 = 3600

    private struct State {
        var connection: MQTTConnection?
        var resume: (@Sendable () -> Void)?
        /// The number of calls to go on that the outbox has not answered yet.
        var awaited = 0
    }

    private let state = Mutex(State())

    func begin(_ resume: @escaping @Sendable () -> Void) {
        let isOpen = self.state.withLock { state in
            state.resume = resume
            state.awaited = state.connection == nil ? 0 : 1
            return state.connection != nil
        }
        if isOpen { resume() }
    }

    func resumed() { self.state.withLock { $0.awaited = max(0, $0.awaited - 1) } }

    func carry(_ message: OutboxMessage, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard let topic = message.address, !topic.isEmpty else {
            completion(.refused("the message names no topic"))
            return
        }
        guard let connection = self.state.withLock({ $0.awaited == 0 ? $0.connection : nil }) else {
            completion(.unavailable("there is no connection with the broker"))
            return
        }
        connection.publish(Self.publication(of: message, to: topic)) { outcome in
            switch outcome {
            case .acknowledged: completion(.delivered)
            case .refused(let reason): completion(.refused(reason))
            case .full(let reason), .lost(let reason): completion(.unavailable(reason))
            }
        }
    }

    private static func publication(of message: OutboxMessage, to topic: String) -> MQTTPublication {
        let kind = MQTTPayloadKind(message.body)
        return MQTTPublication(
            topic: topic, payload: Self.body(of: message), contentType: kind.contentType, isText: kind != .binary,
            expiry: Self.expiry, id: message.id)
    }

    /// The JSON object of a message with the message's `id` as its first member, since MQTT 3.1.1 has no properties.
    private static func body(of message: OutboxMessage) -> ByteBuffer {
        let body = message.body
        guard body.readableBytes > 2, body.getInteger(at: body.readerIndex, as: UInt8.self) == UInt8(ascii: "{"),
            let rest = body.getSlice(at: body.readerIndex + 1, length: body.readableBytes - 1)
        else { return body }
        var whole = ByteBuffer()
        whole.reserveCapacity(body.readableBytes + 48)
        whole.writeString("{\"id\":\"\(message.id)\",")
        whole.writeImmutableBuffer(rest)
        return whole
    }

    func attach(_ connection: MQTTConnection) {
        let resume = self.state.withLock { state in
            state.connection = connection
            if state.resume != nil { state.awaited += 1 }
            return state.resume
        }
        resume?()
    }

    /// Messages go this way no more. To be called before what is under way comes back.
    func detach() { self.state.withLock { $0.connection = nil } }
}

/// The kind of a payload, judged by its bytes.
enum MQTTPayloadKind: Sendable, Hashable {
    /// Begins as JSON does.
    case json
    /// Other UTF-8.
    case text
    /// Anything else.
    case binary

    init(_ payload: ByteBuffer) {
        guard (try? UTF8Span(validating: payload.readableBytesUInt8Span)) != nil else {
            self = .binary
            return
        }
        let first = payload.readableBytesView.first { !" \n\r\t".utf8.contains($0) }
        let isObject = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        self = isObject ? .json : .text
    }

    var contentType: String {
        switch self {
        case .json: "application/json"
        case .text: "text/plain"
        case .binary: "application/octet-stream"
        }
    }
}
