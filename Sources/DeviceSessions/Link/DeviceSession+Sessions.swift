import CastClient
import CastWire
import GatewayCore
import NIOCore

/// The session of Castway's own that a device may have.
extension DeviceSession {
    /// Starts a session, unless there is one.
    /// - Returns: nil when there is one already.
    func startSession(number: Int, app: AppID, options: LaunchOptions) -> SessionHost? {
        self.begin(
            number,
            SessionStateMachine(
                app: app, options: options, isPolite: self.settings.sessions.isPolite,
                suspendAfter: TimeAmount(self.settings.sessions.suspendAfter), at: self.eventLoop.now))
    }

    /// Joins a session by its id, unless there is one.
    /// - Returns: nil when there is one already.
    func joinSession(number: Int, sessionID: String) -> SessionHost? {
        self.begin(
            number,
            SessionStateMachine(
                joining: sessionID, isPolite: self.settings.sessions.isPolite,
                suspendAfter: TimeAmount(self.settings.sessions.suspendAfter), at: self.eventLoop.now))
    }

    private func begin(_ number: Int, _ machine: SessionStateMachine) -> SessionHost? {
        guard self.cast == nil else { return nil }
        let host = SessionHost(number: number, device: self, machine: machine, store: self.store)
        self.cast = host
        return host
    }

    /// Takes a session up again that was written down, as soon as the device answers.
    func restore(_ record: SessionRecord, number: Int) {
        let machine = SessionStateMachine(
            restoring: record.application, app: record.app, options: record.options,
            suspendReason: record.suspendReason, isPolite: self.settings.sessions.isPolite,
            suspendAfter: TimeAmount(self.settings.sessions.suspendAfter))
        guard let host = self.begin(number, machine) else { return }
        host.restore(media: record.media)
        if self.isOnline, let status { host.linkUp(status) }
    }

    /// The device is in the configuration now, and stays when its session has ended.
    /// - Parameter isRunning: whether devices are dialled; one whose session ended meanwhile has been hung up for good.
    func becomeConfigured(at addresses: [DeviceAddress], isRunning: Bool) {
        self.whenUnused = nil
        if !addresses.isEmpty { self.setCandidates(addresses + self.candidates.all, isAnnounced: false) }
        if isRunning, self.link.isStopped { self.startAnew() }
    }

    /// Dials a device that has been hung up for good.
    private func startAnew() {
        self.hangUp("the device is dialled anew")
        self.link = LinkStateMachine(backoff: self.settings.backoff)
        self.start()
    }

    /// Gives the session up to another object that stands for the same device now.
    func surrenderSession() -> SessionRecord? {
        guard let record = self.cast?.surrender() else { return nil }
        self.cast = nil
        return record
    }

    /// The session is over.
    func sessionEnded(_ host: SessionHost) {
        guard self.cast === host else { return }
        self.cast = nil
        self.hangUpIfUnused()
    }

    /// Lets go of a device that is here for its session alone, or not at all any more.
    func hangUpIfUnused() {
        guard self.cast == nil, self.relays.isEmpty else { return }
        if let whenUnused {
            self.whenUnused = nil
            self.stop(stoppingApps: false)
            whenUnused()
        } else if self.isRetired {
            self.stop(stoppingApps: false)
        }
    }
}
