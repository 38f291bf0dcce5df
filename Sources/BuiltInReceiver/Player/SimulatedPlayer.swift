import CastWire
import NIOCore
import SystemPrimitives

/// The media half of the built-in receiver: it answers the media namespace as the default receiver of a Chromecast
/// does, without fetching or playing anything (protocol notes, 6).
///
/// One player lives as long as its app runs. It holds no clock: instants come in with requests and with
/// ``timerFired(at:)``, which its owner calls at ``nextDeadline``. What was due before an instant happens first, at
/// its own time: `advance(to:)` processes one event after the other until none is due.
struct SimulatedPlayer {
    /// What the owner has to send or show, in this order.
    enum Action: Equatable {
        /// To one sender, on its virtual connection.
        case reply(JSONObject, to: EndpointID)
        /// To all senders that are connected to the app, `*`.
        case broadcast(JSONObject)
        /// What plays now, by its title; empty when nothing does, or it has none.
        case statusText(String)
        /// To the provider of the queue; its answer carries the token.
        case ask(QueueQuestion, token: Int)
    }

    /// More is done in the next call, so that nothing keeps the event loop for long.
    private static let maximumEvents = 256

    let options: SimulationOptions
    /// True when media are named by their address, as for the default media receiver, and by nothing that only an app knows.
    let takesAddressesOnly: Bool
    /// The volume of the stream, which outlives what is loaded.
    var volume: MediaVolume
    var generator: ShuffleGenerator
    var session: PlayerSession?
    /// What PLAY_AGAIN plays when nothing is loaded.
    var lastPlan: LoadPlan?
    var nextItemID = 1
    var nextMediaSessionID = 1
    var outbox: [Action] = []
    /// What the provider of the queue was asked; nil without one.
    var provision: QueueProvision?
    /// How many items a status has.
    let statusLimit: Int
    /// Messages that follow the answer to the current request.
    var afterAnswer: [JSONObject] = []
    private var shownText = ""

    /// A player with nothing loaded.
    /// - Parameters:
    ///   - options: how it behaves.
    ///   - volume: the volume of the stream at first, level 0 to 1.
    ///   - muted: whether the stream is silent at first.
    ///   - shuffleSeed: what the order of mixed queues follows from.
    ///   - queue: where the items of its queues come from.
    ///   - takesAddressesOnly: whether media are named by their address alone.
    init(
        options: SimulationOptions, volume: Double = 1, muted: Bool = false, shuffleSeed: UInt64 = 0,
        queue: VirtualQueueConfiguration = VirtualQueueConfiguration(), takesAddressesOnly: Bool = false
    ) {
        self.options = options
        self.takesAddressesOnly = takesAddressesOnly
        self.provision = queue.provider == nil ? nil : QueueProvision()
        self.statusLimit = queue.statusLimit
        self.volume = MediaVolume()
        self.volume.level = min(max(volume, 0), 1)
        self.volume.isMuted = muted
        self.generator = ShuffleGenerator(seed: shuffleSeed)
    }

    /// True when something is loaded, or being loaded.
    var isActive: Bool { self.session != nil || self.waitsForLoad }

    /// When something will happen by itself; nil when nothing will.
    var nextDeadline: NIODeadline? { self.nextEvent?.instant }

    /// Carries out a request of the media namespace.
    mutating func handle(_ payload: JSONObject, from sender: EndpointID, at now: NIODeadline) -> [Action] {
        self.advance(to: now)
        let request = PlayerRequest(payload, from: sender)
        do {
            try self.perform(request, at: now)
        } catch {
            self.afterAnswer = []
            self.refuse(request, error)
        }
        self.advance(to: now)
        return self.drain()
    }

    /// Does what was due; nothing when it is too early.
    mutating func timerFired(at now: NIODeadline) -> [Action] {
        self.advance(to: now)
        return self.drain()
    }

    /// Lets something happen to what is loaded, with no sender that asked for it.
    /// - Parameter change: what happens; false when it cannot happen now.
    /// - Returns: nil when nothing is loaded, or when it cannot happen.
    mutating func simulate(
        at now: NIODeadline, _ change: (inout SimulatedPlayer, inout PlayerSession) -> Bool
    ) -> [Action]? {
        self.advance(to: now)
        guard var session = self.session else { return nil }
        self.session = nil
        let happens = change(&self, &session)
        self.session = session.ending == nil ? session : nil
        guard happens else { return nil }
        self.advance(to: now)
        return self.drain()
    }

    /// The status for a sender that has just connected, to be sent to it alone; nil when nothing is loaded.
    func statusForNewSender(at now: NIODeadline) -> JSONObject? {
        guard let session else { return nil }
        return self.statusMessage(session, at: now, id: .spontaneous, limit: StatusBudget.broadcast)
    }

    private var nextEvent: PlayerEvent? {
        self.session?.nextEvent(preloadTime: self.options.preloadTime.inSeconds)
    }

    mutating func advance(to now: NIODeadline) {
        for _ in 0..<Self.maximumEvents {
            guard let event = self.nextEvent, event.instant <= now, var session = self.session else { return }
            self.session = nil
            self.process(event, &session)
            self.session = session.ending == nil ? session : nil
        }
    }

    mutating func drain() -> [Action] {
        self.askForMore()
        let text = self.currentText
        if text != self.shownText {
            self.shownText = text
            self.outbox.append(.statusText(text))
        }
        defer { self.outbox = [] }
        return self.outbox
    }

    /// The title of what plays. What loads has none yet, but another item of the same queue keeps the old one.
    private var currentText: String {
        guard let session else { return "" }
        guard !session.isLoading else { return session.previousItemEnd == nil ? "" : self.shownText }
        return session.media.information.metadata?.title ?? ""
    }
}

extension SimulatedPlayer {
    /// Lets something happen that was due, at its own instant.
    mutating func process(_ event: PlayerEvent, _ session: inout PlayerSession) {
        let instant = event.instant
        switch event.kind {
        case .loaded: return self.loaded(&session, at: instant)
        case .loadFailed, .playbackFailed: return self.failed(&session, at: instant)
        case .itemEnded: return self.itemEnded(&session, at: instant)
        case .buffered:
            session.phase = .ready
            session.settle(at: instant)
        case .breakReached(let index):
            let position = session.breaks[index].position ?? 0
            session.startBreak(index, then: .at(position), at: instant)
            session.settle(at: instant)
        case .clipBecomesSkippable: session.adBreak?.announceSkipping(at: instant)
        case .clipEnded:
            if session.endClip(at: instant) { return self.goOn(&session, at: instant) }
            session.settle(at: instant)
        case .preloaded(let id): session.preloadedItemID = id
        }
        self.broadcastStatus(session, at: instant)
    }

    /// The item is played; a break behind it comes first.
    mutating func itemEnded(_ session: inout PlayerSession, at instant: NIODeadline) {
        guard let postRoll = session.postRoll else { return self.goOn(&session, at: instant) }
        session.clock.move(to: session.end ?? 0, at: instant)
        session.startBreak(postRoll, then: .itemEnd, at: instant)
        session.settle(at: instant)
        self.broadcastStatus(session, at: instant)
    }

    /// Goes to the item that follows by the repeat mode, or ends the session.
    private mutating func goOn(_ session: inout PlayerSession, at instant: NIODeadline) {
        switch session.queue.repeatMode {
        case .single: self.start(session.queue.index, in: &session, after: .finished, at: instant)
        case .allAndShuffle where session.queue.index + 1 >= session.queue.count:
            session.queue.shuffle(keepingCurrent: false, using: &self.generator)
            self.start(0, in: &session, after: .finished, at: instant)
            self.broadcastStatus(session, at: instant)
            return self.outbox.append(.broadcast(self.queueChange(.update, session.queue.ids, session.queue)))
        default:
            if let next = session.queue.index(jumping: 1) {
                self.start(next, in: &session, after: .finished, at: instant)
            } else {
                self.end(&session, .finished)
            }
        }
        self.broadcastStatus(session, at: instant)
    }
}

/// Something that happens by itself, and when.
struct PlayerEvent: Equatable {
    enum Kind: Equatable {
        case loaded
        case loadFailed
        case buffered
        case playbackFailed
        case clipEnded
        case clipBecomesSkippable
        case breakReached(planIndex: Int)
        case preloaded(itemID: Int)
        case itemEnded
    }

    let kind: Kind
    let instant: NIODeadline
}
