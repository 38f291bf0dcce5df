import CastTransport
import CastWire
import GatewayCore
import Logging
import NIOCore

/// Where the device is, and how its channel comes and goes.
extension DeviceSession {
    /// Takes where the device may be. One that is not online, and has just made itself heard or has a new address, is
    /// dialled now. One that is online has to show that it still is: whoever announces itself may have lost the channel.
    /// - Parameters:
    ///   - addresses: best first; none when it is not known where the device is.
    ///   - isAnnounced: whether the device has just made itself heard.
    func setCandidates(_ addresses: [DeviceAddress], isAnnounced: Bool) {
        let new = self.candidates.replace(with: addresses)
        guard !self.link.isStopped, !self.candidates.isEmpty else { return }
        let now = self.eventLoop.now
        guard isAnnounced || !new.isEmpty else { return self.obey(self.link.resolved(at: now)) }
        if !new.isEmpty { self.favourites = new }
        if self.isOnline {
            self.obey(self.link.probe(at: now, within: LinkStateMachine.announcedProbeTimeout))
            self.flush()
            if !new.isEmpty { self.redialStandby() }
            return self.dialStandbyIfStuck()
        }
        // An address that is news is tried at once, whatever is being tried.
        let isElsewhere = !new.isEmpty && self.channel == nil
        self.obey(isElsewhere ? self.link.redial(at: now) : self.link.wake(at: now))
    }

    /// Hangs up and dials the device elsewhere, at once; its senders see it go and come.
    func move(to addresses: [DeviceAddress]) {
        self.candidates.move(to: addresses)
        guard !self.link.isStopped else { return }
        let reason = "its address is \(addresses.first.map(\.description) ?? "unknown") now"
        let wasOnline = self.isOnline
        self.hangUp(reason)
        if wasOnline { self.reportLoss("Device moved", reason) }
        self.isReportedLost = false
        let action = self.link.redial(at: self.eventLoop.now)
        if wasOnline { self.wasIdle = self.apps.isEmpty }
        if wasOnline || self.gap.isOpen { self.tellSendersOfLoss() }
        self.cast?.linkDown()
        self.obey(action)
    }

    /// The host has slept: what stood may be gone without a word.
    func hostSlept() {
        let now = self.eventLoop.now
        self.obey(self.isOnline ? self.link.probe(at: now) : self.link.wake(at: now))
        self.flush()
    }

    /// A link, an address or a route of this host has come back: there may be a way to the device again.
    /// - Parameter isLink: whether a link was gone and is back, so that a channel over it may be stuck.
    func networkReturned(isLink: Bool) {
        let now = self.eventLoop.now
        if self.isOnline {
            if isLink { self.obey(self.link.probe(at: now)) }
        } else if !self.candidates.isEmpty {
            self.obey(self.link.wake(at: now))
        }
        self.flush()
    }

    /// Lets go of the channel, or of what is to become one; nothing is heard of it any more.
    func hangUp(_ reason: String) {
        self.linkTimer.cancel()
        self.dropStandby()
        self.attempt?.abandon(reason)
        self.attempt = nil
        self.channel = nil
        self.authenticator?.end()
        self.online.set(self, isOnline: false)
        self.needsFlush = false
        self.failRequests()
    }

    func obey(_ action: LinkStateMachine.Action) {
        switch action {
        case .none: break
        case .dial: self.dial()
        case .redial:
            self.hangUp("the device is dialled anew")
            self.candidates.beginRound(with: self.favourites)
            self.favourites = []
            self.dial()
        case .close(let reason): self.channel?.close(reason)
        case .giveUp: self.giveUp()
        case .wait(let until): self.wait(until: until)
        case .probe(let until):
            self.askStatus()
            self.wait(until: until)
        case .dialStandby(let until):
            self.dialStandby()
            self.wait(until: until)
        }
    }

    private func wait(until: NIODeadline) {
        self.linkTimer.set(until: until) {
            self.obey(self.link.timerFired(at: self.eventLoop.now))
            self.flush()
        }
    }

    private func dial() {
        guard let address = self.candidates.next() else { return self.link.unresolved() }
        self.address = address
        let attempt = DialAttempt(session: self, address: address)
        self.attempt = attempt
        self.dial(for: attempt)
    }

    /// Dials for an attempt, which is told what comes of it.
    func dial(for attempt: DialAttempt) {
        let bound = NIOLoopBound(attempt, eventLoop: self.eventLoop)
        self.settings.dialer.dial(
            host: attempt.address.host, port: attempt.address.port, within: self.link.connectPatience,
            on: self.eventLoop,
            delegate: attempt
        ).whenComplete { result in
            switch result {
            case .success(let connection): bound.value.connected(connection)
            case .failure(let error): bound.value.failed(TransportError.text(of: error))
            }
        }
    }

    func dialFailed(_ reason: String) {
        guard !self.link.isStopped else { return }
        let hasAnother = self.candidates.hasUntried
        if hasAnother {
            self.logger.debug("Address not reached", metadata: self.linkMetadata(reason))
        } else {
            self.reportLoss("Device not reached", reason)
        }
        self.obey(self.link.lost(at: self.eventLoop.now, hasAnother: hasAnother))
    }

    /// Once is enough for the log; the pauses grow, but a device may stay away for days.
    func reportLoss(_ text: Logger.Message, _ reason: String) {
        self.logger.log(level: self.isReportedLost ? .debug : .notice, text, metadata: self.linkMetadata(reason))
        if !self.isReportedLost { self.events.publish(.deviceOffline(target: self.name, reason: reason)) }
        self.isReportedLost = true
    }

    private func linkMetadata(_ reason: String) -> Logger.Metadata {
        ["address": "\(self.address.map(\.description) ?? "unknown")", "reason": "\(reason)"]
    }

    // MARK: The channel

    func channelReady(_ channel: CastConnection) {
        self.channel = channel
        self.obey(self.link.connected(at: self.eventLoop.now))
        // Stopped during the dial.
        guard self.link.isConnected else { return }
        self.authenticate(channel) { $0.openPlatform() }
    }

    private func openPlatform() {
        self.platform = PlatformConnection()
        self.connectPlatform()
        for relay in self.relays.values {
            for (north, connect) in relay.platformConnections { self.sendConnect(connect, for: north) }
        }
        self.flush()
    }

    func channelClosed(_ reason: TransportError?) {
        self.channel = nil
        self.authenticator?.end()
        self.online.set(self, isOnline: false)
        self.needsFlush = false
        if self.standby != nil, !self.link.isStopped { return self.takeStandby(reason) }
        guard !self.link.isStopped else { return }
        self.failRequests()
        let wasOnline = self.isOnline
        // One that took the call and did not answer may be another than the one that is looked for.
        let hasAnother = !wasOnline && self.candidates.hasUntried
        if !hasAnother { self.reportLoss("Device lost", reason.map(\.description) ?? "closed by the device") }
        self.obey(self.link.lost(at: self.eventLoop.now, hasAnother: hasAnother))
        guard wasOnline else { return }
        self.senderGapBegins()
        self.cast?.linkDown()
    }
}
