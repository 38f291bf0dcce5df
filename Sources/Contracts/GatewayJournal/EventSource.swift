package import CastWire
package import GatewayOperations
package import NIOCore

/// Where ways in get events from: one stream with one numbering for all of them.
package protocol EventSource: Sendable {
    /// Begins to receive events: hello, a snapshot or what was missed, `synced`, and then events as they happen.
    /// - Parameters:
    ///   - topics: which events.
    ///   - position: what the reader has had last; nil for one that begins.
    ///   - caller: who reads; events of devices that it may not use, and those that take a scope it lacks, do not come.
    ///   - wake: called from any thread when there is something to take; not again before ``EventFeed/take(upTo:)`` has returned
    ///     nothing. A reader may take at once; one that has not is woken for its hello. It must not wait.
    /// - Throws: `unavailable` when the gateway stops.
    func subscribe(
        to topics: EventTopics, from position: JournalPosition?, for caller: Caller,
        wake: @escaping @Sendable () -> Void
    ) throws(OperationProblem) -> any EventFeed

    /// The latest value of every state resource that a caller may see, and the position that it belongs to: the body of
    /// `GET /api/v1/state`.
    func state(for caller: Caller) async -> JSONObject
}

/// What one reader receives.
package protocol EventFeed: Sendable {
    /// Takes what is to be sent next, oldest first.
    /// - Parameter bytes: stop when so many were taken; one frame comes in any case.
    /// - Returns: nothing when all was taken; `wake` is called when there is more.
    func take(upTo bytes: Int) -> [JournalFrame]

    /// Why the feed has ended, and from where the reader can go on; nil while it has not. Said only when all frames were taken.
    var end: FeedEnd? { get }

    /// Ends it from the reader's side. Its interest in custom messages is kept for `history_age`, for a reader that comes back.
    func cancel()
}

/// Why a feed has ended.
package struct FeedEnd: Hashable, Sendable {
    /// `too_slow` (close code 4408) or `stopping` (1001).
    package var reason: String
    /// What the reader has had last.
    package var position: JournalPosition

    package init(reason: String, position: JournalPosition) {
        self.reason = reason
        self.position = position
    }
}

/// One frame for a reader: a JSON object, encoded once for all readers.
package struct JournalFrame: Sendable {
    /// What frames there are; the raw value is the member `frame` of all but events.
    package enum Kind: String, Sendable, CaseIterable {
        /// The first: `{"frame":"hello","boot":…,"seq":…,"oldest":…,"features":[…]}`.
        case hello
        /// The latest value of one state resource: an event that happened before.
        case snapshot
        /// From here on events come as they happen: `{"frame":"synced","seq":…}`.
        case synced
        /// Something that happened.
        case event
        /// Nothing happened for ten seconds: `{"frame":"bookmark","seq":…}`.
        case bookmark
        /// The next event of a state resource stands for several: `{"frame":"coalesced","type":…,"device":…,"count":…}`.
        case coalesced
        /// Log events were lost for want of room: `{"frame":"gap","from":…,"to":…,"count":…}`.
        case gap
        /// What was missed is not there any more, and a snapshot follows: `{"frame":"resync","reason":…}`.
        case resync
    }

    package var kind: Kind
    /// The position of the reader when it has this frame; nil for frames that move it nowhere.
    package var position: JournalPosition?
    /// The JSON object, without a line break.
    package var bytes: ByteBuffer

    package init(_ kind: Kind, at position: JournalPosition?, _ bytes: ByteBuffer) {
        self.kind = kind
        self.position = position
        self.bytes = bytes
    }
}

/// A place in the stream of events: the run of the gateway, and the number of an event in it. As text `BOOT.SEQ`.
package struct JournalPosition: Hashable, Sendable, CustomStringConvertible {
    /// Which run of the gateway.
    package var boot: String
    /// The number of the event, from 1; 0 stands before the first.
    package var seq: UInt64

    package init(boot: String, seq: UInt64) {
        self.boot = boot
        self.seq = seq
    }

    /// Reads `BOOT.SEQ`; nil for anything else.
    package init?(_ text: String) {
        guard text.utf8.count <= 64, let point = text.lastIndex(of: "."), point != text.startIndex else { return nil }
        let digits = text[text.index(after: point)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seq = UInt64(digits) else { return nil }
        self.init(boot: String(text[..<point]), seq: seq)
    }

    /// `BOOT.SEQ`.
    package var description: String { "\(self.boot).\(self.seq)" }
}

/// Which events a reader wants.
package struct EventTopics: Hashable, Sendable {
    /// One topic: events whose type and device both match.
    package struct Topic: Hashable, Sendable {
        /// The types, with `*` for any characters: `media.*`.
        package var type: DevicePattern
        /// The devices; nil for all events, also those of no device.
        package var device: DevicePattern?
        /// The namespace of custom messages (`channel.message`), which are journalled only where one is named; nil for none.
        package var namespace: String?

        package init(type: DevicePattern, device: DevicePattern? = nil, namespace: String? = nil) {
            self.type = type
            self.device = device
            self.namespace = namespace
        }
    }

    /// An event comes when one of these matches.
    package var topics: [Topic]

    package init(_ topics: [Topic]) {
        self.topics = topics
    }

    /// All events but custom messages.
    package static let all = EventTopics([Topic(type: DevicePattern("*"))])
}
