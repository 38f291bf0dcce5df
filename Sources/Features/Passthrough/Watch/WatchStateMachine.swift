import GatewayCore
import NIOCore

/// Decides what the gateway does on a device whose senders are passed through: which apps it stops, when it lowers the volume.
///
/// The device may be used in its own network at the same time. So apps are judged that were started while a sender was passed through,
/// until they end, and no others; the volume is, while a sender is passed through or such an app runs.
struct WatchStateMachine {
    enum Event {
        case connected(ConnectionID, address: String)
        case disconnected(ConnectionID)
        /// These apps ran when the gateway began to look; it has not been told yet when the device is out of reach.
        case found([SessionFacts], isReachable: Bool)
        /// The device has been reached: what runs there was told before.
        case reached
        case started(SessionFacts)
        case ended(session: String)
        /// The device said how loud it is; nil for one that says nothing, or cannot be changed.
        case volume(Double?)
        case hoursOver
        case stopAnswered(session: String)
        case volumeAnswered
        case rules(WatchRules)
        case timePassed
    }

    enum Action: Hashable {
        case stop(SessionFacts, PassedAppStop)
        case lowerVolume(from: Double, to: Double)
        /// It has acted so often that it lets this be for the moment.
        case pause(PassedDeviceRule)
    }

    /// An app that is known, while it runs and for a while after that: a device that was out of reach may have it still.
    private struct Known {
        let session: String
        /// The addresses that were connected when it was started, and that came while it ran; none for one that is not judged.
        var addresses: Set<String>
    }

    private struct Running {
        let facts: SessionFacts
        let isJudged: Bool
        var isOver = false
        var isStopping = false
        /// It is not asked to stop before this.
        var notBefore: NIODeadline?
    }

    /// The number of apps that are known, at most; a device runs one or two.
    private static let maximumKnown = 32
    /// The number of addresses that are noted of an app.
    private static let maximumAddresses = 64
    /// The time an app may take to end before the device is asked again.
    private static let stopPatience = TimeAmount.seconds(10)
    /// The tolerance of levels, which are written with few digits.
    private static let volumeTolerance = 0.005
    /// By how much a device may miss the level that it was given, since it has steps of its own.
    private static let largestStep = 0.05

    private(set) var rules: WatchRules
    private var hasBeenReached = false
    private var senders: [ConnectionID: String] = [:]
    private var known: [Known] = []
    private var running: [String: Running] = [:]
    private var volume: Double?
    /// The level that the device made of the one that it was given.
    private var settled: Double?
    private var isSettingVolume = false
    private var hasSetVolume = false
    private var stops = ActBudget()
    private var changes = ActBudget()
    private var paused: Set<PassedDeviceRule> = []
    /// The time when there is something to be done though nothing happens; nil for never.
    private(set) var nextDeadline: NIODeadline?

    init(_ rules: WatchRules) {
        self.rules = rules
    }

    /// The addresses of the senders that are connected, at most so many as are kept of an app.
    var addresses: Set<String> { Set(Set(self.senders.values).prefix(Self.maximumAddresses)) }

    /// The sessions of apps that a sender started and that ran while an address was connected.
    func sessions(beside address: String) -> Set<String> {
        Set(self.known.filter { $0.addresses.contains(address) }.map(\.session))
    }

    mutating func handle(_ event: Event, at now: NIODeadline) -> [Action] {
        switch event {
        case .connected(let id, let address):
            self.senders[id] = address
            self.cameBeside(address)
        case .disconnected(let id): self.senders[id] = nil
        case .found(let apps, let isReachable):
            for app in apps { self.began(app, beside: []) }
            self.hasBeenReached = isReachable
        case .reached: self.hasBeenReached = true
        case .started(let app):
            // What the device tells when it is reached first has been there before.
            let addresses = self.hasBeenReached ? Set(self.senders.values) : []
            self.began(app, beside: Set(addresses.prefix(Self.maximumAddresses)))
        case .ended(let session): self.running[session] = nil
        case .volume(let level): self.heard(level)
        case .hoursOver:
            guard self.rules.stopsAtEnd else { break }
            for session in self.running.keys { self.running[session]?.isOver = true }
        case .stopAnswered(let session):
            self.running[session]?.isStopping = false
            self.running[session]?.notBefore = now + Self.stopPatience
        case .volumeAnswered:
            self.isSettingVolume = false
            if let volume { self.heard(volume) }
        case .rules(let rules):
            if rules.maximumVolume != self.rules.maximumVolume { (self.settled, self.hasSetVolume) = (nil, false) }
            self.rules = rules
        case .timePassed: break
        }
        self.nextDeadline = nil
        return self.judgeApps(at: now) + self.judgeVolume(at: now)
    }

    // MARK: Apps

    private mutating func began(_ app: SessionFacts, beside addresses: Set<String>) {
        guard self.running[app.sessionID] == nil else { return }
        let former = self.known.first { $0.session == app.sessionID }
        if former == nil {
            self.known.append(Known(session: app.sessionID, addresses: addresses))
            if self.known.count > Self.maximumKnown {
                self.running[self.known.removeFirst().session] = nil
            }
        }
        self.running[app.sessionID] = Running(
            facts: app, isJudged: !(former?.addresses ?? addresses).isEmpty)
    }

    /// Leaves what others have started to the one who comes to it.
    private mutating func cameBeside(_ address: String) {
        for index in self.known.indices where self.running[self.known[index].session]?.isJudged ?? false {
            guard self.known[index].addresses.count < Self.maximumAddresses else { continue }
            self.known[index].addresses.insert(address)
        }
    }

    private func fault(of app: Running) -> PassedAppStop? {
        guard app.isJudged else { return nil }
        if app.isOver { return .outsideHours }
        guard let allowed = self.rules.allowedApps, !app.facts.isOne(of: allowed) else { return nil }
        return .notAllowed
    }

    private mutating func judgeApps(at now: NIODeadline) -> [Action] {
        var actions: [Action] = []
        for session in self.running.keys.sorted() {
            guard let app = self.running[session], !app.isStopping, let fault = self.fault(of: app) else { continue }
            if let notBefore = app.notBefore, now < notBefore {
                self.wake(at: notBefore)
            } else if self.stops.take(at: now) {
                self.paused.remove(.apps)
                self.running[session]?.isStopping = true
                actions.append(.stop(app.facts, fault))
            } else {
                actions += self.pause(.apps, until: self.stops.next(at: now))
            }
        }
        return actions
    }

    // MARK: Volume

    private mutating func heard(_ level: Double?) {
        self.volume = level
        guard self.hasSetVolume, !self.isSettingVolume, let level, let most = self.rules.maximumVolume else { return }
        self.hasSetVolume = false
        // What a device with coarse steps makes of the level is let be.
        if level > most, level - most <= Self.largestStep { self.settled = level }
    }

    private mutating func judgeVolume(at now: NIODeadline) -> [Action] {
        guard let most = self.rules.maximumVolume, let level = self.volume, !self.isSettingVolume,
            level > max(most, self.settled ?? 0) + Self.volumeTolerance,
            !self.senders.isEmpty || self.running.values.contains(where: \.isJudged)
        else { return [] }
        guard self.changes.take(at: now) else { return self.pause(.volume, until: self.changes.next(at: now)) }
        self.paused.remove(.volume)
        // The next level is the device's answer.
        (self.volume, self.isSettingVolume, self.hasSetVolume) = (nil, true, true)
        return [.lowerVolume(from: level, to: most)]
    }

    // MARK: Time

    private mutating func pause(_ rule: PassedDeviceRule, until deadline: NIODeadline) -> [Action] {
        self.wake(at: deadline)
        return self.paused.insert(rule).inserted ? [.pause(rule)] : []
    }

    private mutating func wake(at deadline: NIODeadline) {
        self.nextDeadline = min(self.nextDeadline ?? deadline, deadline)
    }
}
