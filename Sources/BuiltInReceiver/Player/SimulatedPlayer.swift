import CastWire
import NIOCore
import SystemPrimitives

/// The media half of the built-in receiver: it answers the media namespace as the default receiver of a Chromecast
/// does, without fetching or playing anything (protocol notes, 6).
///
/// One player lives as long as its app runs. It holds no clock: instants come in with requests and with
/// ``timerFired(at:)``, which its owner calls at ``nextDeadline``. What was due before an instant has happened, at its
/// own time, before anything else is looked at.
struct SimulatedPlayer {
    /// What the owner has to send or show, in this order.
    enum Action: Equatable {
        /// To one sender, on its virtual connection.
        case reply(JSONObject, to: EndpointID)
        /// To all senders that are connected to the app, `*`.
        case broadcast(JSONObject)
        /// What plays now, by its title; empty when nothing does, or it has none.
        case statusText(String)
    }

    /// More is done in the next call, so that nothing keeps the event loop for long.
    private static let maximumEvents = 256

    let options: SimulationOptions
    /// The volume of the stream, which outlives what is loaded.
    var volume: MediaVolume
    var generator: ShuffleGenerator
    var session: PlayerSession?
    /// What PLAY_AGAIN plays when nothing is loaded.
    var lastPlan: LoadPlan?
    var nextItemID = 1
    var nextMediaSessionID = 1
    var outbox: [Action] = []
    /// Messages that follow the answer to the current request.
    var afterAnswer: [JSONObject] = []
    private var shownText = ""

    /// A player with nothing loaded.
    /// - Parameters:
    ///   - options: how it behaves.
    ///   - volume: the volume of the stream at first, level 0 to 1.
    ///   - muted: whether the stream is silent at first.
    ///   - shuffleSeed: what the order of mixed queues follows from.
    init(options: SimulationOptions, volume: Double = 1, muted: Bool = false, shuffleSeed: UInt64 = 0) {
        self.options = options
        self.volume = MediaVolume()
        self.volume.level = min(max(volume, 0), 1)
        self.volume.isMuted = muted
        self.generator = ShuffleGenerator(seed: shuffleSeed)
    }

    /// True when something is loaded, or being loaded.
    var isActive: Bool { self.session != nil }

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

    /// The status for a sender that has just connected, to be sent to it alone; nil when nothing is loaded.
    func statusForNewSender(at now: NIODeadline) -> JSONObject? {
        guard let session else { return nil }
        return self.statusMessage(session, at: now, id: .spontaneous, limit: StatusBudget.broadcast)
    }

    private var nextEvent: PlayerEvent? {
        self.session?.nextEvent(preloadTime: self.options.preloadTime.inSeconds)
    }

    private mutating func advance(to now: NIODeadline) {
        for _ in 0..<Self.maximumEvents {
            guard let event = self.nextEvent, event.instant <= now, var session = self.session else { return }
            self.session = nil
            self.process(event, &session)
            self.session = session.ending == nil ? session : nil
        }
    }

    private mutating func drain() -> [Action] {
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
