import CastWire
import GatewayCore
import GatewayOperations
import NIOCore

/// Numbers events and encodes them, each once for all readers. For the journal's thread.
struct EventEncoder {
    private struct TopicKey: Hashable {
        let type: String
        let device: String?
        let otherDevice: String?
        let namespace: String?
    }

    /// How many topics are known by a number; beyond that all get new ones.
    private static let maximumTopics = 8192

    let boot: String
    /// The number of the newest event.
    private(set) var seq: UInt64 = 0
    private let head: ByteBuffer
    private var timestamp = JournalTimestamp()
    private var revs: [ResourceKey: UInt64] = [:]
    /// A resource that comes again begins above every one that has gone, so a `rev` only grows.
    private var highestGoneRev: UInt64 = 0
    private var playbacks: [ResourceKey: PlaybackFollower] = [:]
    private var receivers: [String: JSONObject] = [:]
    private var topics: [TopicKey: EventTopicName] = [:]
    private var nextTopic = 0
    private var events: [JournalEvent] = []
    /// The request that the events of the present item come of.
    private var cause: String?
    /// How many events the present item stands for.
    private var count = 1

    init(boot: String) {
        self.boot = boot
        var head = ByteBuffer()
        head.writeStaticString("{\"boot\":")
        JSONWriter.write(.string(boot), to: &head)
        head.writeStaticString(",\"seq\":")
        self.head = head
    }

    /// Numbers and encodes what happened.
    /// - Parameter now: when it is numbered.
    mutating func encode(_ items: [JournalInbox.Item], at now: NIODeadline) -> [JournalEvent] {
        defer { self.events = [] }
        self.events.reserveCapacity(items.count)
        for item in items {
            switch item {
            case .event(.status(let message, let device), let note, let instant):
                (self.cause, self.count) = (note.cause, note.count)
                self.tell(message, device, instant, now)
            case .event(.event(let event), let note, let instant):
                (self.cause, self.count) = (event.request ?? note.cause, note.count)
                self.tell(event, instant, now)
            case .lost(let count): self.lose(count, now)
            case .void: break
            }
        }
        return self.events
    }

    // MARK: What happened

    private mutating func tell(_ event: GatewayEvent, _ instant: Int64, _ now: NIODeadline) {
        var content = event.content
        switch event {
        case .mediaStatus(_, _, let status): self.tellPlayback(&content, status, instant, now)
        case .castMedia(_, .status(let status?)): self.tellPlayback(&content, status, instant, now)
        case .receiverStatus(let device, let status): self.tellReceiver(content, device, status, instant, now)
        case .sessionEnded(let device, _, _, _, _):
            self.append(content, instant, now)
            self.tellNothingPlays(on: device, [:], instant, now)
        case .virtualDeviceRemoved(let device):
            // By an event of its own, since a slow reader may get the next device of the name in the place of this.
            self.tellNothingPlays(on: device, [:], instant, now)
            self.append(content, instant, now)
        default:
            if self.count > 1 { content.data["count"] = .number(self.count) }
            self.append(content, instant, now)
        }
    }

    /// A status in the message that it came in; what is no status is no event.
    private mutating func tell(_ message: CastMessage, _ device: DeviceFacts, _ instant: Int64, _ now: NIODeadline) {
        guard let json = message.payload.jsonObject else { return }
        var origin: JSONObject = ["via": device.target == nil ? "local" : "relay"]
        if let target = device.target { origin["target"] = .string(target) }
        if message.family == .receiver {
            guard let told = ReceiverStatusPayload(json: json).status else { return }
            let status = told.completed(by: self.receivers[device.name].map { ReceiverStatus(json: $0) }).json
            var content = GatewayEvent.receiverStatus(device: device.name, status: status).content
            content.add(origin)
            self.tellReceiver(content, device.name, status, instant, now)
        } else {
            guard json.string("type") == "MEDIA_STATUS", let elements = json.objects("status") else { return }
            if elements.isEmpty { self.tellNothingPlays(on: device.name, origin, instant, now) }
            for status in elements {
                let event = GatewayEvent.mediaStatus(device: device.name, transportID: message.source, status: status)
                var content = event.content
                content.add(origin)
                self.tellPlayback(&content, status, instant, now)
            }
        }
    }

    private mutating func tellReceiver(
        _ content: EventContent, _ device: String, _ status: JSONObject, _ instant: Int64, _ now: NIODeadline
    ) {
        if let last = self.receivers[device], last.isEquivalent(to: status) { return }
        self.receivers[device] = status
        self.append(content, instant, now)
    }

    private mutating func tellPlayback(
        _ content: inout EventContent, _ status: JSONObject, _ instant: Int64, _ now: NIODeadline
    ) {
        guard let key = content.key, let report = self.playbacks[key, default: .init()].receive(status, at: instant)
        else { return }
        content.data["status"] = .object(report.status)
        if let position = report.position {
            content.data["position"] = .number(position.seconds)
            content.data["at"] = .string(self.timestamp.text(position.at))
            content.data["rate"] = .number(position.rate)
        }
        self.append(content, instant, now)
    }

    private mutating func tellNothingPlays(
        on device: String, _ origin: JSONObject, _ instant: Int64, _ now: NIODeadline
    ) {
        var content = GatewayEvent.mediaStatus(device: device, transportID: "", status: [:]).content
        content.data = origin
        content.isLast = true
        guard let key = content.key, self.revs[key] != nil else { return }
        self.append(content, instant, now)
    }

    private mutating func lose(_ count: Int, _ now: NIODeadline) {
        let first = self.seq + 1
        self.seq += UInt64(max(count, 1))
        let bytes = MarkerFrames.gap(from: first, to: self.seq, count: count)
        self.events.append(
            JournalEvent(.loss(from: first), seq: self.seq, at: now, topic: MarkerFrames.lossTopic, bytes: bytes))
    }

    // MARK: Encoding

    private mutating func append(_ content: EventContent, _ instant: Int64, _ now: NIODeadline) {
        if content.isLast, let key = content.key {
            // By events of their own, for readers that do not get this one.
            for dependent in key.dependents where self.revs[dependent] != nil {
                if let end = dependent.end(with: content) { self.append(end, instant, now) }
            }
        }
        self.seq += 1
        var bytes = ByteBuffer()
        bytes.reserveCapacity(512)
        bytes.writeImmutableBuffer(self.head)
        bytes.writeString(String(self.seq))
        bytes.writeStaticString(",\"at\":\"")
        bytes.writeString(self.timestamp.text(instant))
        bytes.writeStaticString("\",\"type\":")
        JSONWriter.write(.string(content.type), to: &bytes)
        if let device = content.declaration.device {
            bytes.writeStaticString(",\"device\":")
            JSONWriter.write(.string(device), to: &bytes)
        }
        var kind = JournalEvent.Kind.log
        if let key = content.key {
            kind = .state(key, isLast: content.isLast)
            bytes.writeStaticString(",\"rev\":")
            bytes.writeString(String(self.takeRev(of: key, isLast: content.isLast)))
        }
        if let cause, content.declaration.mayHaveCause {
            bytes.writeStaticString(",\"cause\":{\"request\":")
            JSONWriter.write(.string(cause), to: &bytes)
            bytes.writeStaticString("}")
        }
        bytes.writeStaticString(",\"data\":")
        JSONWriter.write(.object(content.data), to: &bytes)
        bytes.writeStaticString("}")
        self.events.append(
            JournalEvent(kind, seq: self.seq, at: now, topic: self.topic(of: content), bytes: bytes))
    }

    private mutating func takeRev(of key: ResourceKey, isLast: Bool) -> UInt64 {
        let rev = (self.revs[key] ?? self.highestGoneRev) + 1
        self.revs[key] = rev
        guard isLast else { return rev }
        for gone in [key] + key.dependents {
            self.highestGoneRev = max(self.highestGoneRev, self.revs.removeValue(forKey: gone) ?? 0)
            self.playbacks[gone] = nil
        }
        if key.resource == .virtualDevice { self.receivers[key.device] = nil }
        return rev
    }

    private mutating func topic(of content: EventContent) -> EventTopicName {
        let declaration = content.declaration
        let key = TopicKey(
            type: content.type, device: declaration.device, otherDevice: declaration.otherDevice,
            namespace: declaration.namespace)
        if let known = self.topics[key] { return known }
        if self.topics.count >= Self.maximumTopics { self.topics = [:] }
        self.nextTopic += 1
        let topic = EventTopicName(
            id: self.nextTopic, type: key.type, device: key.device, otherDevice: key.otherDevice,
            namespace: key.namespace, scope: declaration.scope, isLive: declaration.isLive)
        self.topics[key] = topic
        return topic
    }
}

extension GatewayEvent {
    /// The request that it is about.
    fileprivate var request: String? { if case .request(let id, _, _) = self { id } else { nil } }
}

extension EventContent {
    fileprivate mutating func add(_ members: JSONObject) {
        for member in members.members { self.data[member.name] = member.value }
    }
}
