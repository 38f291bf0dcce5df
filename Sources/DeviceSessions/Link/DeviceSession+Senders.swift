import CastWire
import GatewayCore
import NIOCore

/// What the senders are told when the device goes, comes back, or another one takes its place.
extension DeviceSession {
    /// What is said in the device's place while it is out of reach.
    private var substitute: OfflineAnswers { OfflineAnswers(lastKnown: self.status, keepsApps: self.gap.isOpen) }

    /// What to answer while the device cannot be asked.
    func answerInPlace(_ message: CastMessage) -> Outcome {
        Outcome(self.substitute.answer(to: message, message.summary))
    }

    /// Answers what waited for the device so long that another request took its place.
    func giveUp(_ waited: PendingRequests.Taken, for north: SenderIDs.North) {
        let answer = Rejection.overloaded.answer(to: waited.request.message, waited.request.summary)
        guard let answer, let output = self.relays[waited.north.relay]?.output else { return }
        output.send(answer, to: waited.north.connection)
        // The one whose message this is flushes by itself.
        if waited.north.relay != north.relay || waited.north.connection != north.connection { output.flush() }
    }

    /// Answers what a relay's senders wait for, and forgets what runs here as far as they are concerned.
    func giveWay(_ relay: DeviceRelay) {
        for session in self.apps {
            self.events.publish(
                .sessionEnded(
                    device: relay.virtualDevice.name, sessionID: session.sessionID, reason: "another device"))
        }
        let offline = OfflineAnswers(lastKnown: self.status)
        for (north, request) in self.pending.takeAll(of: ObjectIdentifier(relay)) {
            guard let answer = offline.answer(to: request.message, request.summary) else { continue }
            relay.answer(answer, to: north.connection)
        }
        self.answerHeld(of: relay)
    }

    /// Tells a relay's senders how the device stands.
    func announce(to relay: DeviceRelay) {
        for session in self.apps {
            self.events.publish(.sessionStarted(device: relay.virtualDevice.name, session: session))
        }
        let status = self.isOnline ? self.status : nil
        let message = CastMessage(
            source: .platformReceiver, destination: .broadcast, namespace: .receiver,
            payload: ReceiverStatusPayload(status ?? self.substitute.status).payload)
        relay.output?.broadcast(message)
    }

    // MARK: A gap

    /// The device is out of reach: whoever waits is answered, and the rest of it waits for the device.
    func senderGapBegins() {
        let patience = TimeAmount(self.settings.sessions.suspendAfter)
        self.wasIdle = self.apps.isEmpty
        guard patience > .zero else { return self.tellSendersOfLoss() }
        self.gap.begin()
        self.answerPending()
        for relay in self.relays.values { relay.output?.flush() }
        self.gapTimer.set(until: self.eventLoop.now + patience) { self.tellSendersOfLoss() }
    }

    /// The device is back: senders whose app still runs go on, the others learn that it does not.
    /// - Parameter before: what ran when the device was lost.
    func senderGapEnds(before: [SessionFacts]) {
        self.gapTimer.cancel()
        guard self.gap.isOpen else { return }
        self.gap.end()
        var transports = Set<EndpointID>()
        for relay in self.relays.values { transports.formUnion(relay.transports) }
        for transport in transports.sorted(by: { $0.rawValue < $1.rawValue }) {
            if self.survives(transport, before: before) {
                self.reopen(transport)
            } else {
                for relay in self.relays.values { relay.appLost(transport) }
            }
        }
    }

    /// True when the same session is at the transport id as before.
    private func survives(_ transport: EndpointID, before: [SessionFacts]) -> Bool {
        guard let after = self.facts(at: transport) else { return false }
        guard let old = before.first(where: { $0.transportID == transport }) else { return true }
        return old.sessionID == after.sessionID
    }

    /// Connects the senders' ends to their app again, and asks it how it stands: what it said meanwhile is lost.
    private func reopen(_ transport: EndpointID) {
        var first: SenderIDs.North?
        for relay in self.relays.values {
            for (north, connect) in relay.connections(to: transport) {
                self.sendConnect(connect, for: north)
                if first == nil { first = north }
            }
        }
        guard let first, self.facts(at: transport)?.namespaces.contains(.media) ?? false,
            let question = self.gap.refresh(transport, for: first)
        else { return }
        self.send(question, for: first)
    }

    /// What a device does whose app goes away: CLOSE, then a status without the app.
    func tellSendersOfLoss() {
        self.gapTimer.cancel()
        self.gap.clear()
        let offline = OfflineAnswers(lastKnown: self.status)
        for session in self.apps { self.emitEnded(session, reason: "device lost") }
        self.status = offline.status
        for relay in self.relays.values {
            relay.deviceLost()
            relay.output?.broadcast(offline.broadcast)
        }
        self.answerPending()
        for relay in self.relays.values { relay.output?.flush() }
    }

    /// Nobody hears an answer of the channel that is gone.
    private func answerPending() {
        let substitute = self.substitute
        for (north, request) in self.pending.takeAll() {
            if request.summary.type == AppAvailability.type, self.hold(request.message, request.summary, for: north) {
                continue
            }
            guard let answer = substitute.answer(to: request.message, request.summary) else { continue }
            self.relays[north.relay]?.answer(answer, to: north.connection)
        }
    }
}
