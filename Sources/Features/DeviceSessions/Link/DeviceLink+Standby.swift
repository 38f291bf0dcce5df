import CastTransport
import NIOCore

// The second attempt, which is dialled beside a channel that is in doubt.
extension DeviceLink {
    /// The time that a retransmission of TCP is waited for: within it nothing is lost.
    private static let retransmissionPatience = TimeAmount.milliseconds(600)
    /// The limit beyond which a channel is stuck; one loss is ordinary.
    private static let retransmissionsOfStuckChannel = 2

    /// Dials the device beside its channel, where an announcement says that it is, or else where it was.
    func dialStandby() {
        guard let session, self.isOnline, self.standby == nil, let address = self.candidates.new.first ?? self.address
        else {
            return
        }
        let attempt = DialAttempt(link: self, session: session, address: address, isStandby: true)
        self.standby = attempt
        self.dial(for: attempt)
    }

    /// Dials a new address rather than one that has not answered so far.
    func redialStandby() {
        guard self.isOnline, let address = self.candidates.new.first else { return }
        if let standby {
            guard !standby.isReady, standby.address != address else { return }
            self.dropStandby()
            self.dialStandby()
        } else if self.machine.isOverdue(at: self.eventLoop.now) {
            self.dialStandby()
        }
    }

    /// The device has announced itself: a channel on which TCP waits for a long pause to end is not waited for.
    func dialStandbyIfStuck() {
        self.whenChannelMeasured { retransmission in
            guard retransmission.count >= Self.retransmissionsOfStuckChannel,
                retransmission.next > Self.retransmissionPatience
            else { return }
            self.dialStandby()
        }
    }

    /// A message came in on the channel in use.
    func dropStandbyUnlessStuck() {
        guard self.standby != nil else { return }
        guard !self.isStandbyElsewhere else { return self.dropStandby() }
        self.whenChannelMeasured { retransmission in
            if retransmission.count == 0 { self.dropStandby() }
        }
    }

    func dropStandby() {
        self.standby?.abandon("the device answers on another channel")
        self.standby = nil
    }

    /// The device has been silent for too long. A standby that is dialled decides what happens to the channel.
    func closeSilent() {
        guard let standby else {
            self.channel.secured?.close(with: .silentPeer)
            return
        }
        if standby.isReady { self.takeStandby() }
    }

    func standbyFailed() {
        self.standby = nil
        if self.machine.isOverdue(at: self.eventLoop.now) { self.closeSilent() }
    }

    /// TLS stands on the standby. At another address it is taken only at the end of the probe: any host may announce an
    /// address.
    func standbyReady() {
        if self.machine.isOverdue(at: self.eventLoop.now) { return self.takeStandby() }
        guard !self.isStandbyElsewhere else { return }
        self.whenChannelMeasured { retransmission in
            if retransmission.count >= Self.retransmissionsOfStuckChannel {
                self.takeStandby()
            } else if !self.machine.isProbing {
                self.dropStandby()
            }
        }
    }

    /// Puts the standby in the place of the channel; senders see the device go and come.
    func takeStandby(_ reason: TransportError? = .silentPeer) {
        guard let standby else { return }
        self.standby = nil
        self.hangUp("the device is dialled anew")
        self.reportLoss(reason)
        self.machine.replaced(at: self.eventLoop.now)
        self.session?.deviceLost()
        self.candidates.beginRound()
        self.candidates.tried(standby.address)
        self.address = standby.address
        self.attempt = standby
        standby.choose()
    }

    private var isStandbyElsewhere: Bool { self.standby?.address != self.address }

    /// - Parameter take: called when the same attempt still owns the channel and the device is online.
    private func whenChannelMeasured(_ take: @escaping (CastConnection.Retransmission) -> Void) {
        guard let connection = self.channel.secured, let attempt else { return }
        connection.measureRetransmission { retransmission in
            guard self.attempt === attempt, self.isOnline, let retransmission else { return }
            take(retransmission)
        }
    }
}
