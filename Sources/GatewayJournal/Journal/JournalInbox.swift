import CastWire
import GatewayCore
import NIOCore

/// What happened and has no number yet, in its order. Bounded: beyond its limit the newest log events are counted only, and of a
/// resource the newest event takes the place of the one that waits.
struct JournalInbox {
    enum Item: Sendable {
        case event(RecordedEvent, at: Int64)
        /// So many were lost here.
        case lost(Int)
    }

    /// What events cost whose size would take a walk through them.
    private static let roughCost = 4096
    /// Messages that wait longer than a moment do not keep the reads alive that they came in.
    private static let attachedItems = 64

    private let limit: Int
    private(set) var items: [Item] = []
    private(set) var bytes = 0
    /// Whether the journal's thread has been told, or is at work.
    private(set) var isScheduled = false
    /// Where the newest event of each resource is; only while too much waits.
    private var places: [ResourceKey: Int]?

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes one.
    /// - Returns: whether the journal's thread has to be told.
    mutating func append(_ item: RecordedEvent, at instant: Int64) -> Bool {
        let cost = item.cost ?? Self.roughCost
        if self.bytes + cost > self.limit {
            self.appendBeyondLimit(item, cost, at: instant)
        } else {
            self.bytes += cost
            self.items.append(.event(self.items.count < Self.attachedItems ? item : item.detached, at: instant))
        }
        defer { self.isScheduled = true }
        return !self.isScheduled
    }

    private mutating func appendBeyondLimit(_ item: RecordedEvent, _ cost: Int, at instant: Int64) {
        guard let key = item.key else { return self.lose() }
        var places = self.places ?? self.placesOfResources
        if let place = places[key] {
            self.items[place] = .event(item.detached, at: instant)
            self.lose()
        } else if self.bytes + cost <= 2 * self.limit {
            self.bytes += cost
            places[key] = self.items.count
            self.items.append(.event(item.detached, at: instant))
        } else {
            self.lose()
        }
        self.places = places
    }

    private mutating func lose() {
        if case .lost(let count)? = self.items.last {
            self.items[self.items.count - 1] = .lost(count + 1)
        } else {
            self.items.append(.lost(1))
        }
    }

    private var placesOfResources: [ResourceKey: Int] {
        var places: [ResourceKey: Int] = [:]
        for (place, item) in self.items.enumerated() {
            if case .event(let event, _) = item, let key = event.key { places[key] = place }
        }
        return places
    }

    /// Takes out everything; without anything the thread has to be told again.
    mutating func takeAll() -> [Item] {
        defer {
            self.isScheduled = !self.items.isEmpty
            self.items = []
            self.bytes = 0
            self.places = nil
        }
        return self.items
    }
}

extension RecordedEvent {
    /// How many bytes it holds, roughly; nil when that would take a walk.
    fileprivate var cost: Int? {
        switch self {
        case .status(let message, _): message.payload.bytes.readableBytes + 256
        case .event(.channelMessage(_, let message, _)): message.payload.bytes.readableBytes + 256
        case .event(.castMedia), .event(.receiverStatus), .event(.mediaStatus), .event(.custom), .event(.request),
            .event(.configurationReloaded), .event(.deviceInserted), .event(.deviceUpdated):
            nil
        default: 512
        }
    }

    /// The same without the read that it came in.
    fileprivate var detached: RecordedEvent {
        switch self {
        case .status(let message, let device): .status(message.detached, device: device)
        case .event(.channelMessage(let device, let message, let direction)):
            .event(.channelMessage(device: device, message: message.detached, direction: direction))
        default: self
        }
    }

    /// The resource that it is about; nil for a log event.
    fileprivate var key: ResourceKey? {
        switch self {
        case .event(.channelMessage): nil
        case .event(let event): event.content.key
        case .status(let message, let device):
            ResourceKey(
                resource: message.family == .receiver ? .virtualDevice : .media, device: device.name, id: "")
        }
    }
}
