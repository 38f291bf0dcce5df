/// Decides how far one run of a plugin is, and what follows from each event. Knows no process, no wire and no clock.
///
/// A run begins when its process, socket or library is opened. The plugin answers `initialize`; from there on it waits to be
/// admitted, so that a reload can try a new process out beside the one that works. Admitted, it is started and gets messages.
/// Whatever goes wrong, the run ends once: the first reason that the gateway has counts more than what the launcher reports,
/// and that more than what the transport saw.
struct PluginRunStateMachine: Sendable {
    /// A point that callers wait for. Each is reached at most once, and at the end of the run every caller has its answer.
    enum Milestone: Hashable, Sendable, CaseIterable {
        /// The plugin has answered `initialize`.
        case initialized
        case admitted
        /// The plugin has answered `start`, and takes messages.
        case ready
        case disconnected
        case ended
    }

    /// The parts of a run, as far as they were opened.
    enum Part: Hashable, Sendable {
        case process, listener, wire
    }

    enum Event: Sendable {
        case opened(Part)
        case initialized
        case admitted
        case started
        /// The gateway gives the plugin up.
        case failed(PluginEnd)
        case reported(LauncherReport)
        case endRequested
        case disconnected(reason: String)
        case closed(PluginEnd)
    }

    enum Action: Hashable, Sendable {
        case reach(Milestone)
        /// Tell those who wait for a milestone why it is not reached.
        case miss(Milestone, reason: String)
        case killProcess
        case closeListener
        case closeWire
        case announceReady
        case announceEnd(PluginEnd)
    }

    private var parts: Set<Part> = []
    private var reached: Set<Milestone> = []
    private var isEnding = false
    /// The reason the gateway itself ended it.
    private var failure: PluginEnd?
    /// The end that the launcher reported.
    private var reportedEnd: PluginEnd?

    /// True if the plugin may send requests: it was initialized and admitted.
    var mayAsk: Bool { self.reached.isSuperset(of: [.initialized, .admitted]) }

    /// True if the plugin has taken messages.
    var wasReady: Bool { self.reached.contains(.ready) }

    /// True if the wire belongs to a process of the gateway's.
    var hasProcess: Bool { self.parts.contains(.process) }

    /// The reason the run ends, once that is known.
    var end: PluginEnd? { self.failure ?? self.reportedEnd }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .opened(let part):
            self.parts.insert(part)
            return part == .listener && self.isEnding ? [.closeListener] : []
        case .initialized: return self.reach(.initialized)
        case .admitted: return self.reach(.admitted)
        case .started:
            guard !self.isEnding, !self.reached.contains(.disconnected) else { return [] }
            return self.reach(.ready) + [.announceReady]
        case .failed(let end):
            if self.failure == nil { self.failure = end }
            return self.endNow() + self.missAll(reason: end.description)
        case .reported(let report):
            self.take(report)
            return []
        case .endRequested: return self.endNow() + self.missAll(reason: "it was ended")
        case .disconnected(let reason):
            // A process whose wire is cut is of no use any more, and may not have noticed.
            return (self.hasProcess ? [.killProcess] : []) + self.reach(.disconnected) + self.missAll(reason: reason)
        case .closed(let end):
            if self.end == nil { self.failure = end }
            return [.closeWire] + self.missAll(reason: end.description)
                + self.reach(.disconnected) + self.reach(.ended) + [.announceEnd(end)]
        }
    }

    private mutating func take(_ report: LauncherReport) {
        switch report {
        case .exited(let code): self.reportedEnd = .exited(code)
        case .signalled(let number):
            // The launcher's own reason to kill it comes first, and says more.
            if self.reportedEnd == nil { self.reportedEnd = .signalled(number) }
        case .failed(let reason): self.reportedEnd = .failed("it cannot be started: \(reason)")
        case .killed(let reason): self.reportedEnd = .failed("it was killed: \(reason)")
        case .started, .full, .unenforced, .enforced, .gone: break
        }
    }

    private mutating func endNow() -> [Action] {
        self.isEnding = true
        return [self.hasProcess ? .killProcess : .closeWire, .closeListener]
    }

    private mutating func reach(_ milestone: Milestone) -> [Action] {
        self.reached.insert(milestone).inserted ? [.reach(milestone)] : []
    }

    /// Tells those who wait for the plugin's work why it does not come to that.
    private func missAll(reason: String) -> [Action] {
        let milestones: [Milestone] = [.initialized, .admitted, .ready]
        return milestones.flatMap { self.miss($0, reason: reason) }
    }

    private func miss(_ milestone: Milestone, reason: String) -> [Action] {
        self.reached.contains(milestone) ? [] : [.miss(milestone, reason: reason)]
    }
}
