import CastWire
import GatewayCore
import NIOCore

/// What happened and has no number yet, in its order. Bounded: beyond its limit the newest log events are counted only, and of a
/// resource only the newest event waits, at its own place: what ends a resource stays behind what was told of it.
struct JournalInbox {
    enum Item: Sendable {
        /// - Parameter note: what is known beside it.
        case event(RecordedEvent, Note, at: Int64)
        /// So many were lost here.
        case lost(Int)
        /// A newer event of the resource waits elsewhere.
        case void
    }

    /// What is known of an event beside it.
    struct Note: Sendable {
        /// The request of a caller that it comes of.
        var cause: String?
        /// How many events of its source it stands for.
        var count = 1
    }

    /// Messages that wait longer than a moment do not keep the reads alive that they came in.
    private static let attachedItems = 64

    private let limit: Int
    private var throttle = EventThrottle()
    private(set) var items: [Item] = []
    private(set) var bytes = 0
    /// Whether the journal's thread has been told, or is at work.
    private(set) var isScheduled = false
    /// Where the newest event of each resource is; nil unless too much waits.
    private var places: [ResourceKey: Int]?
    private var voids = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// How many events were left out, since peers caused too many.
    var leftOut: Int { self.throttle.leftOut }

    /// Takes one.
    /// - Parameters:
    ///   - cause: the request of a caller that it comes of.
    ///   - instant: in milliseconds since 1970.
    /// - Returns: whether the journal's thread has to be told.
    mutating func append(_ item: RecordedEvent, cause: String?, at instant: Int64, _ now: NIODeadline) -> Bool {
        var note = Note(cause: cause)
        let declaration = item.declaration
        if case .event(let event) = item, let declaration {
            guard let count = self.throttle.admit(event, declaration, at: now) else { return false }
            note.count = count
        }
        let cost = item.cost(declaration)
        if self.bytes + cost > self.limit {
            self.appendBeyondLimit(item, cost, note, at: instant)
        } else {
            self.bytes += cost
            let isAttached = self.items.count < Self.attachedItems
            self.items.append(.event(isAttached ? item : item.detached, note, at: instant))
        }
        defer { self.isScheduled = true }
        return !self.isScheduled
    }

    private mutating func appendBeyondLimit(
        _ item: RecordedEvent, _ cost: Int, _ note: Note, at instant: Int64
    ) {
        guard let key = item.key else { return self.lose() }
        if self.places == nil { self.findPlaces() }
        if let place = self.places?.removeValue(forKey: key) { self.void(place) }
        // Without its end a resource would be there for ever.
        guard self.bytes + cost <= (item.endsResource ? 3 : 2) * self.limit else { return self.lose() }
        self.bytes += cost
        self.places?[key] = self.items.count
        self.items.append(.event(item.detached, note, at: instant))
    }

    private mutating func void(_ place: Int) {
        guard case .event(let old, _, _) = self.items[place] else { return }
        self.bytes -= old.cost(old.declaration)
        self.items[place] = .void
        self.voids += 1
        self.lose()
        if self.voids > 64, self.voids > self.items.count / 4 {
            self.closeUp()
            self.findPlaces()
        }
    }

    /// Takes void places out, and makes one of the losses between which nothing waits any more.
    private mutating func closeUp() {
        let items = self.items
        self.items = []
        for item in items {
            switch item {
            case .void: break
            case .lost(let count): self.lose(count)
            case .event: self.items.append(item)
            }
        }
        self.voids = 0
    }

    private mutating func lose(_ count: Int = 1) {
        if case .lost(let before)? = self.items.last {
            self.items[self.items.count - 1] = .lost(before + count)
        } else {
            self.items.append(.lost(count))
        }
    }

    private mutating func findPlaces() {
        var places: [ResourceKey: Int] = [:]
        for (place, item) in self.items.enumerated() {
            if case .event(let event, _, _) = item, let key = event.key { places[key] = place }
        }
        self.places = places
    }

    /// Takes out everything; without anything the thread has to be told again.
    mutating func takeAll() -> [Item] {
        defer {
            self.isScheduled = !self.items.isEmpty
            self.items = []
            self.bytes = 0
            self.places = nil
        }
        if self.voids > 0 { self.closeUp() }
        return self.items
    }
}

extension JSONValue {
    /// How many bytes it holds, roughly.
    fileprivate var weight: Int {
        switch self {
        case .string(let text): 32 + text.utf8.count
        case .array(let elements): elements.reduce(32) { $0 + $1.weight }
        case .object(let object): object.members.reduce(32) { $0 + 32 + $1.name.utf8.count + $1.value.weight }
        default: 32
        }
    }
}

extension RecordedEvent {
    /// The declaration; nil for a message that is a status. Made anew each time.
    fileprivate var declaration: EventDeclaration? {
        if case .event(let event) = self { event.declaration } else { nil }
    }

    /// Returns the bytes that it holds, roughly.
    fileprivate func cost(_ declaration: EventDeclaration?) -> Int {
        switch (self, declaration?.size) {
        case (.status(let message, _), _): message.payload.bytes.readableBytes + 256
        case (_, .json(let value)): value.weight + 256
        case (_, .bytes(let count)): count + 256
        case (_, .large): 4096
        case (_, .small), (_, nil): 512
        }
    }

    /// The same without the read that it came in.
    fileprivate var detached: RecordedEvent {
        switch self {
        case .status(let message, let device): .status(message.detached, device: device)
        case .event(.channelMessage(let device, let message, let direction, let via)):
            .event(.channelMessage(device: device, message: message.detached, direction: direction, via: via))
        default: self
        }
    }

    /// The resource that it is about; nil for a log event, and for a message that is no status.
    fileprivate var key: ResourceKey? {
        switch self {
        case .event(let event): return event.declaration.key
        case .status(let message, let device):
            let isReceivers = message.family == .receiver
            guard
                PayloadSummary(peeking: message.payload).type == (isReceivers ? "RECEIVER_STATUS" : "MEDIA_STATUS")
            else { return nil }
            return ResourceKey(resource: isReceivers ? .virtualDevice : .media, device: device.name, id: "")
        }
    }

    /// Whether the resource is not there any more.
    fileprivate var endsResource: Bool {
        self.declaration?.endsResource ?? false
    }
}
