import CastClient
import CastWire
import GatewayCore
import Logging

extension CastSessionChange {
    /// The log line, once per step of a session's life; nil for what is no such step.
    var logLine: (message: Logger.Message, reason: String?)? {
        switch self {
        case .didStart: ("Session started", nil)
        case .didFailToStart(let failure): ("Session not started", failure.message)
        case .didResume(let cause): ("Session resumed", "\(cause)")
        case .didFailToResume(let failure): ("Session not resumed", failure.message)
        case .didSuspend(let reason): ("Session suspended", reason.name)
        case .didEnd(let failure): ("Session ended", failure?.message)
        default: nil
        }
    }
}

extension CastSessionChange.Consent {
    init(_ state: LaunchStatus.State) {
        self =
            switch state {
            case .userPendingAuthorization: .pending
            case .userAllowed: .allowed
            case .userNotAllowed: .notAllowed
            }
    }
}

extension ReceiverApplication {
    /// Returns the differences between an earlier description of the app and this one.
    func changes(since old: ReceiverApplication) -> [CastSessionChange] {
        var changes: [CastSessionChange] = []
        if let text = self.statusText, text != old.statusText { changes.append(.deviceStatus(text)) }
        var known = old
        known.statusText = self.statusText
        known.senderConnected = self.senderConnected
        if known != self { changes.append(.appMetadata) }
        return changes
    }
}

extension SessionFailure {
    /// The failure of a session's request, as sessions report it.
    init(_ error: RequestError) {
        self.init(error.code, error.message, reason: error.reason ?? error.extendedError, app: error.runningApp)
        if error.reason != nil { self.extraInfo = error.extendedError }
    }
}

extension CastMediaChange {
    /// A media client's event as the event bus carries it; nil for one that is the client's own affair.
    /// - Parameters:
    ///   - known: the queue when something was told of it last.
    ///   - last: how the media session was that has ended last.
    init?(_ event: MediaEvent, queue: MediaQueue, known: MediaQueue, last: LastKnownMedia?) {
        switch event {
        case .status(let snapshot): self = .status(snapshot.status?.json)
        case .metadata(let media): self = .metadata(media?.json)
        case .sessionStarted(let id): self = .started(mediaSessionID: id)
        case .sessionEnded(let id, let reason):
            let ended = last.flatMap { $0.status.mediaSessionID == id ? $0 : nil }
            self = .ended(mediaSessionID: id, reason: reason?.rawValue, last: ended.map { LastPlayback($0) })
        case .preload(let itemID): self = .preload(itemID: itemID)
        case .queue(let changes):
            let told = QueueDifference.changes(changes, from: known, to: queue)
            guard !told.isEmpty else { return nil }
            self = .queue(itemIDs: queue.itemIDs, changes: told)
        case .error(let error): self = .failed(code: error.code, reason: error.message)
        case .availability, .settled, .message: return nil
        }
    }
}

/// The parts of a device's status whose changes sessions report.
struct StatusDigest: Equatable {
    private var level: Double?
    private var muted: Bool?
    private var isActiveInput: Bool?
    private var isStandBy: Bool?

    init(_ status: ReceiverStatus?) {
        self.level = status?.volume?.level
        self.muted = status?.volume?.muted
        self.isActiveInput = status?.isActiveInput
        self.isStandBy = status?.isStandBy
    }

    /// Takes another status.
    /// - Parameter keepsVolume: whether the volume is on the way to another one, so that nothing is to be told of it.
    /// - Returns: what has changed.
    mutating func update(_ status: ReceiverStatus, keepsVolume: Bool = false) -> [CastSessionChange] {
        var new = StatusDigest(status)
        if keepsVolume { (new.level, new.muted) = (self.level, self.muted) }
        defer { self = new }
        var changes: [CastSessionChange] = []
        if new.level != self.level || new.muted != self.muted {
            changes.append(.volume(level: new.level, muted: new.muted))
        }
        if new.isActiveInput != self.isActiveInput { changes.append(.activeInput(new.isActiveInput)) }
        if new.isStandBy != self.isStandBy { changes.append(.standby(new.isStandBy)) }
        return changes
    }
}
