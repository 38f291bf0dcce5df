import CastTransport
import Logging
import NIOCore

/// A second channel, for the moment in which it is doubtful whether the first still stands.
///
/// The first is kept until the doubt is decided: a device that is only slow must not lose what it is asked. Two things
/// decide against it: silence until the end of the probe, or TCP itself, when the device does not acknowledge what it is
/// sent and it would be sent again too late. There may be things to hear on such a channel all the same.
extension DeviceSession {
    /// What TCP sends again within this time is waited for: then nothing of it is lost.
    private static let retransmissionPatience = TimeAmount.milliseconds(600)
    /// One loss is ordinary.
    private static let retransmissionsOfStuckChannel = 2

    /// Dials the device where an announcement says that it is, or else where it was.
    func dialStandby() {
        guard self.isOnline, self.standby == nil, let address = self.favourites.first ?? self.address else { return }
        let attempt = DialAttempt(session: self, address: address, isStandby: true)
        self.standby = attempt
        self.dial(for: attempt)
    }

    /// Dials an address that is news rather than one at which nobody has answered so far.
    func redialStandby() {
        guard self.isOnline, let address = self.favourites.first else { return }
        if let standby {
            guard !standby.isReady, standby.address != address else { return }
            self.dropStandby()
            self.dialStandby()
        } else if self.link.isOverdue(at: self.eventLoop.now) {
            self.dialStandby()
        }
    }

    /// The device has made itself heard: a channel on which TCP waits for a long pause to end is not waited for.
    func dialStandbyIfStuck() {
        self.whenChannelMeasured { session, retransmission in
            guard retransmission.count >= Self.retransmissionsOfStuckChannel,
                retransmission.next > Self.retransmissionPatience
            else { return }
            session.dialStandby()
        }
    }

    /// Something was heard on the channel in use.
    func dropStandbyUnlessStuck() {
        guard self.standby != nil else { return }
        guard !self.isStandbyElsewhere else { return self.dropStandby() }
        self.whenChannelMeasured { session, retransmission in
            if retransmission.count == 0 { session.dropStandby() }
        }
    }

    func dropStandby() {
        self.standby?.abandon("the device answers on another channel")
        self.standby = nil
    }

    /// The device has been silent for too long. If there is a second channel, it decides what becomes of the first.
    func giveUp() {
        guard let standby else {
            self.channel?.close(with: .silentPeer)
            return
        }
        if standby.isReady { self.takeStandby() }
    }

    func standbyFailed() {
        self.standby = nil
        if self.link.isOverdue(at: self.eventLoop.now) { self.giveUp() }
    }

    /// TLS stands on the second channel. Who is elsewhere has to wait for the end of the probe: anybody may announce an
    /// address.
    func standbyReady() {
        if self.link.isOverdue(at: self.eventLoop.now) { return self.takeStandby() }
        guard !self.isStandbyElsewhere else { return }
        self.whenChannelMeasured { session, retransmission in
            if retransmission.count >= Self.retransmissionsOfStuckChannel {
                session.takeStandby()
            } else if !session.link.isProbing {
                session.dropStandby()
            }
        }
    }

    /// Gives the channel in use up, or what is left of it; its senders see it go and come.
    func takeStandby(_ reason: TransportError? = .silentPeer) {
        guard let standby else { return }
        self.standby = nil
        self.hangUp("the device is dialled anew")
        self.reportLoss("Device lost", reason.map(\.description) ?? "closed by the device")
        self.link.replaced(at: self.eventLoop.now)
        self.senderGapBegins()
        self.cast?.linkDown()
        self.candidates.beginRound(with: self.favourites)
        self.candidates.tried(standby.address)
        self.favourites = []
        self.address = standby.address
        self.attempt = standby
        standby.choose()
    }

    private var isStandbyElsewhere: Bool { self.standby?.address != self.address }

    private func whenChannelMeasured(_ take: @escaping (DeviceSession, CastConnection.Retransmission) -> Void) {
        guard let channel, let attempt else { return }
        channel.measureRetransmission { [weak self] retransmission in
            guard let self, self.attempt === attempt, self.isOnline, let retransmission else { return }
            take(self, retransmission)
        }
    }
}
