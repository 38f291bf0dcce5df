import GatewayCore
import GatewayOperations
import NIOCore

/// An event with its number, encoded once for all readers.
final class JournalEvent: Sendable {
    enum Kind: Hashable, Sendable {
        /// It comes once.
        case log
        /// The newest of a resource; the last when the resource does not exist any more.
        case state(ResourceKey, isLast: Bool)
        /// Events that were lost before they had a number: those from this one to the event's own.
        case loss(from: UInt64)
    }

    /// What an event costs in memory beside its frame.
    static let overhead = 256

    /// Its number; of a loss the last one.
    let seq: UInt64
    /// When it was numbered.
    let at: NIODeadline
    let kind: Kind
    let topic: EventTopicName
    /// The JSON object.
    let bytes: ByteBuffer

    init(_ kind: Kind, seq: UInt64, at: NIODeadline, topic: EventTopicName, bytes: ByteBuffer) {
        self.kind = kind
        self.seq = seq
        self.at = at
        self.topic = topic
        self.bytes = bytes
    }

    /// The first number that it stands for.
    var first: UInt64 { if case .loss(let from) = self.kind { from } else { self.seq } }

    /// How many events were lost with it; 0 for one that was not.
    var lossCount: Int { if case .loss(let from) = self.kind { Int(clamping: self.seq - from + 1) } else { 0 } }

    /// Whether other resources ended with it that have no events of their own for that.
    var endsOthers: Bool {
        if case .state(let key, isLast: true) = self.kind { key.resource == .channel } else { false }
    }

    /// What it costs to keep.
    var cost: Int { self.bytes.readableBytes + Self.overhead }
}

/// What readers choose events by. Equal ones of a journal have the same number, so that a reader decides once about each.
final class EventTopicName: Sendable {
    let id: Int
    let type: String
    let device: String?
    /// Another device that its events name, which a reader has to be allowed to use, too.
    let otherDevice: String?
    let namespace: String?
    let scope: OperationScope
    /// Whether its events are not kept, and come only where they are named.
    let isLive: Bool

    init(
        id: Int, type: String, device: String?, otherDevice: String? = nil, namespace: String?, scope: OperationScope,
        isLive: Bool = false
    ) {
        self.id = id
        self.type = type
        self.device = device
        self.otherDevice = otherDevice
        self.namespace = namespace
        self.scope = scope
        self.isLive = isLive
    }
}

extension ResourceKey {
    /// The resources that end with this one: those of a session, whose number does not come again, of a channel what the device told and
    /// what came of asking it to prove itself, and of a virtual device what senders see of it.
    var dependents: [ResourceKey] {
        let resources: [EventResource] =
            switch self.resource {
            case .session: [.media, .queue, .volume, .group]
            case .channel: [.authentication, .receiver]
            case .virtualDevice: [.description]
            default: []
            }
        return resources.map { ResourceKey(resource: $0, device: self.device, id: self.id) }
    }
}
