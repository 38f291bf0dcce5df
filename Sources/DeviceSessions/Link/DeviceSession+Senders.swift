import CastWire
import GatewayCore

/// What the senders are told when the device goes, or another one takes its place.
extension DeviceSession {
    /// Answers what a relay's senders wait for, and forgets what runs here as far as they are concerned.
    func giveWay(_ relay: DeviceRelay) {
        let offline = OfflineAnswers(lastKnown: self.status)
        for session in self.sessions {
            self.events.publish(
                .sessionEnded(
                    device: relay.virtualDevice.name, sessionID: session.sessionID, reason: "another device"))
        }
        for (north, message) in self.pending.takeAll(of: ObjectIdentifier(relay)) {
            guard let answer = offline.answer(to: message, message.summary) else { continue }
            relay.output?.send(answer, to: north.connection)
        }
    }

    /// Tells a relay's senders how the device stands.
    func announce(to relay: DeviceRelay) {
        for session in self.sessions {
            self.events.publish(.sessionStarted(device: relay.virtualDevice.name, session: session))
        }
        let status = self.isOnline ? self.status : nil
        let message = CastMessage(
            source: .platformReceiver, destination: .broadcast, namespace: .receiver,
            payload: ReceiverStatusPayload(status ?? OfflineAnswers(lastKnown: self.status).status).payload)
        relay.output?.broadcast(message)
    }

    /// What a device does whose app goes away: CLOSE, then a status without the app.
    func tellSendersOfLoss() {
        let offline = OfflineAnswers(lastKnown: self.status)
        for session in self.sessions { self.emitEnded(session, reason: "device lost") }
        self.status = offline.status
        for relay in self.relays.values {
            relay.deviceLost()
            relay.output?.broadcast(offline.broadcast)
        }
        for (north, message) in self.pending.takeAll() {
            guard let answer = offline.answer(to: message, message.summary) else { continue }
            self.relays[north.relay]?.output?.send(answer, to: north.connection)
        }
        for relay in self.relays.values { relay.output?.flush() }
    }
}
