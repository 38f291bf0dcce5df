import CastDiscovery
import CastTransport
import CastWire
import GatewayCore
import Logging
import NIOCore
import SystemPrimitives

/// The channel to one device: dials it, has it prove itself, and dials it again whenever the channel is lost.
///
/// A ``LinkStateMachine`` decides when to dial and when to give a channel up; ``DeviceCandidates`` decides where. What is
/// kept here is the channel itself, the attempt that owns it, and a second attempt (the *standby*), which is dialled while
/// it is doubtful whether the channel still stands:
///
/// - The first channel is kept until the doubt is decided, since a device that is only slow must not lose what it is asked.
/// - Two things decide against it: silence until the end of the probe, or TCP itself, when the device does not acknowledge
///   what it is sent and the next retransmission would come too late. Messages may still arrive on such a channel.
///
/// Lives on the device's event loop. Its ``DeviceSession`` is referenced strongly, from ``start(for:)`` to ``stop()``: a
/// weak reference would move the reference counts of an object that every message passes into a side table.
final class DeviceLink {
    let eventLoop: any EventLoop
    let report: LinkReport
    let authenticator: DeviceAuthenticator?
    private let identifier: DeviceIdentifier
    private let timer: LoopTimer
    private var dialer: any DeviceDialer
    var machine: LinkStateMachine
    private(set) var session: DeviceSession?
    var candidates: DeviceCandidates
    /// The device's address, or the one dialled last.
    var address: DeviceAddress?
    /// The attempt that owns the channel, or is to bring one.
    var attempt: DialAttempt?
    /// Dialled beside the channel; nil while that is not in doubt.
    var standby: DialAttempt?
    let channel = DeviceChannel()

    /// - Parameter authenticator: has the device prove itself on each channel; nil where it need not.
    init(
        candidates: [DeviceAddress], settings: DeviceSessionSettings, authenticator: DeviceAuthenticator?,
        report: LinkReport, eventLoop: any EventLoop
    ) {
        self.candidates = DeviceCandidates(candidates)
        self.dialer = settings.dialer
        self.machine = LinkStateMachine(backoff: settings.backoff)
        self.authenticator = authenticator
        self.identifier = DeviceIdentifier(eventLoop: eventLoop, logger: report.logger)
        self.report = report
        self.eventLoop = eventLoop
        self.timer = LoopTimer(on: eventLoop)
    }

    var isOnline: Bool { self.channel.isOnline }
    /// True while it is not known where the device is.
    var isUnresolved: Bool { self.machine.isUnresolved }
    var isConnected: Bool { self.machine.isConnected }
    var isStopped: Bool { self.machine.isStopped }
    var isProbing: Bool { self.machine.isProbing }
    var hasStandby: Bool { self.standby != nil }
    /// The device that is meant; nil when any that answers at its addresses is.
    var identity: ExpectedDevice? { self.identifier.expected }

    // MARK: Commands of the session

    /// Dials the device, and keeps dialling it until ``stop()``.
    func start(for session: DeviceSession) {
        self.session = session
        self.report.began()
        self.candidates.beginRound()
        self.perform(self.machine.start(at: self.eventLoop.now))
    }

    /// Dials a device again that was hung up for good.
    func restart(for session: DeviceSession, _ settings: DeviceSessionSettings) {
        self.hangUp("the device is dialled anew")
        self.machine = LinkStateMachine(backoff: settings.backoff)
        self.start(for: session)
    }

    /// Hangs up for good.
    func stop() {
        self.timer.cancel()
        self.dropStandby()
        self.channel.stopped()
        self.report.offline(now: self.eventLoop.now)
        self.perform(self.machine.stop())
        self.session = nil
    }

    /// Takes what the next dial and the pauses before it follow.
    func configure(_ settings: DeviceSessionSettings, _ verification: DeviceVerification?) {
        self.dialer = settings.dialer
        self.machine.pace(settings.backoff)
        if let verification { self.authenticator?.verification = verification }
    }

    /// Takes whether the device announces that it shows video; nil while it announces nothing.
    func note(showsVideo: Bool?) {
        self.authenticator?.showsVideo = showsVideo
    }

    /// Takes the device's addresses. A device out of reach that was just announced, or has a new address, is dialled now.
    /// A device that is online is probed: one that announces itself may have lost the channel.
    /// - Parameters:
    ///   - addresses: best first; none when it is not known where the device is.
    ///   - isAnnounced: whether the device has just announced itself.
    func setCandidates(_ addresses: [DeviceAddress], isAnnounced: Bool) {
        let isNew = self.candidates.replace(with: addresses)
        guard !self.machine.isStopped, !self.candidates.isEmpty else { return }
        let now = self.eventLoop.now
        guard isAnnounced || isNew else { return self.perform(self.machine.resolved(at: now)) }
        if self.isOnline {
            self.perform(self.machine.probe(at: now, within: LinkStateMachine.announcedProbeTimeout))
            self.channel.flush()
            if isNew { self.redialStandby() }
            return self.dialStandbyIfStuck()
        }
        // A new address is tried at once, whatever is being tried.
        let isElsewhere = isNew && self.channel.secured == nil
        self.perform(isElsewhere ? self.machine.redial(at: now) : self.machine.wake(at: now))
    }

    /// Takes which device is meant; nil for any that answers. A channel that was opened to another one, or before that was known, is
    /// given up.
    func expect(_ identity: ExpectedDevice?) {
        let isSame = self.identity?.id == identity?.id
        self.identifier.expected = identity
        guard !isSame, let identity, self.channel.secured != nil else { return }
        self.dialAnew("its id is \(identity.id) now")
    }

    /// Hangs up and dials the device at other addresses, at once; its senders see it go and come.
    func move(to addresses: [DeviceAddress]) {
        self.candidates.move(to: addresses)
        self.dialAnew("its address is \(addresses.first.map(\.description) ?? "unknown") now")
    }

    private func dialAnew(_ reason: String) {
        guard !self.machine.isStopped else { return }
        let wasOnline = self.isOnline
        self.hangUp(reason)
        if wasOnline {
            self.report.lost("Device moved", reason, label: "moved", at: self.address, now: self.eventLoop.now)
        }
        self.report.reset()
        let action = self.machine.redial(at: self.eventLoop.now)
        self.session?.deviceMoved(wasOnline: wasOnline)
        self.perform(action)
    }

    /// The host has slept: a channel may be gone without notice.
    func hostSlept() {
        let now = self.eventLoop.now
        self.perform(self.isOnline ? self.machine.probe(at: now) : self.machine.wake(at: now))
        self.channel.flush()
    }

    /// A link, an address or a route of this host has come back: there may be a way to the device again.
    /// - Parameter isLink: whether a link was gone and is back, so that a channel over it may be stuck.
    func networkReturned(isLink: Bool) {
        let now = self.eventLoop.now
        if self.isOnline {
            if isLink { self.perform(self.machine.probe(at: now)) }
        } else if !self.candidates.isEmpty {
            self.perform(self.machine.wake(at: now))
        }
        self.channel.flush()
    }

    /// A caller needs the device: one that is out of reach is dialled now.
    func seek() { if !self.candidates.isEmpty { self.perform(self.machine.wanted(at: self.eventLoop.now)) } }

    /// The device answered a request.
    /// - Returns: true when it came online by that.
    func answered() -> Bool {
        self.machine.answered(at: self.eventLoop.now)
        guard self.machine.isOnline, self.channel.answered() else { return false }
        if let address { self.candidates.worked(address) } else { self.candidates.heard() }
        self.report.online(at: self.address, now: self.eventLoop.now)
        return true
    }

    // MARK: Events of the dial attempt

    func dialFailed(_ reason: String) {
        guard !self.machine.isStopped else { return }
        let hasAnother = self.candidates.hasUntried
        self.report.notReached(reason, at: self.address, isLast: !hasAnother, now: self.eventLoop.now)
        self.perform(self.machine.lost(at: self.eventLoop.now, hasAnother: hasAnother))
        if !hasAnother { self.session?.deviceNotReached(reason) }
    }

    /// TLS stands. The channel is used once the device has proved itself, as far as that is asked of it.
    func channelReady(_ connection: CastConnection) {
        self.channel.took(connection)
        self.perform(self.machine.connected(at: self.eventLoop.now))
        // Stopped during the dial.
        guard self.machine.isConnected else { return }
        guard let authenticator else { return self.identify(connection) }
        authenticator.begin(on: connection) { self.identify(connection) }
    }

    private func identify(_ connection: CastConnection) {
        guard self.channel.secured === connection else { return }
        self.identifier.begin(on: connection) { refusal, isNews in
            guard let refusal else { return self.open(connection) }
            // Why the device is out of reach is another thing than what was told of it so far.
            if isNews { self.report.reset() }
            if let address = self.address { self.candidates.disproved(address) }
            connection.close(refusal)
        }
    }

    private func open(_ connection: CastConnection) {
        guard self.channel.secured === connection else { return }
        self.channel.opened()
        self.session?.channelOpened()
        self.channel.flush()
    }

    /// A message of device authentication, or one that came before the channel is open: only a proof, and what tells which device it is,
    /// is read.
    func received(beforeUse message: CastMessage) {
        self.authenticator?.received(message)
        self.identifier.received(message)
    }

    func readComplete() {
        guard self.machine.isProbing else { return }
        self.machine.heard()
        self.candidates.heard()
        self.dropStandbyUnlessStuck()
    }

    func channelClosed(_ reason: TransportError?) {
        let wasOnline = self.isOnline
        self.releaseChannel()
        if self.standby != nil, !self.machine.isStopped { return self.takeStandby(reason) }
        guard !self.machine.isStopped else { return }
        self.session?.requestsLost()
        // An address that accepted the channel and did not answer may be another device's.
        let hasAnother = !wasOnline && self.candidates.hasUntried
        if !hasAnother { self.reportLoss(reason) }
        self.perform(self.machine.lost(at: self.eventLoop.now, hasAnother: hasAnother))
        if wasOnline { return self.session?.deviceLost() ?? () }
        if !hasAnother { self.session?.deviceNotReached(reason?.description ?? "closed by the device") }
    }

    // MARK: Actions of the state machine

    private func perform(_ action: LinkStateMachine.Action) {
        switch action {
        case .none: break
        case .dial: self.dial()
        case .redial:
            self.hangUp("the device is dialled anew")
            self.candidates.beginRound()
            self.dial()
        case .close(let reason): self.channel.close(reason)
        case .closeSilent: self.closeSilent()
        case .wait(let until): self.wait(until: until)
        case .probe(let until):
            self.session?.askStatus()
            self.wait(until: until)
        case .dialStandby(let until):
            self.dialStandby()
            self.wait(until: until)
        }
    }

    private func wait(until: NIODeadline) {
        self.timer.set(until: until) {
            self.perform(self.machine.timerFired(at: self.eventLoop.now))
            self.channel.flush()
        }
    }

    private func dial() {
        guard let session else { return }
        guard let address = self.candidates.next() else { return self.machine.unresolved() }
        self.address = address
        let attempt = DialAttempt(link: self, session: session, address: address)
        self.attempt = attempt
        self.dial(for: attempt)
    }

    func dial(for attempt: DialAttempt) {
        let bound = NIOLoopBound(attempt, eventLoop: self.eventLoop)
        self.dialer.dial(
            host: attempt.address.host, port: attempt.address.port, within: self.machine.connectPatience,
            on: self.eventLoop, delegate: attempt
        ).whenComplete { result in
            switch result {
            case .success(let connection): bound.value.connected(connection)
            case .failure(let error): bound.value.failed(TransportError.text(of: error))
            }
        }
    }

    /// Abandons the channel, or the attempt at one; neither reports anything afterwards.
    func hangUp(_ reason: String) {
        self.timer.cancel()
        self.dropStandby()
        self.attempt?.abandon(reason)
        self.attempt = nil
        self.releaseChannel()
        self.session?.requestsLost()
    }

    private func releaseChannel() {
        self.channel.closed()
        self.authenticator?.end()
        self.identifier.end()
        self.report.offline(now: self.eventLoop.now)
    }

    func reportLoss(_ reason: TransportError?) {
        self.report.lost(
            "Device lost", reason.map(\.description) ?? "closed by the device",
            label: reason.map(\.label) ?? "closed_by_device", at: self.address, now: self.eventLoop.now)
    }
}
