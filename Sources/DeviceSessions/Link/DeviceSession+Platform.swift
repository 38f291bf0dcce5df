import CastClient
import CastTransport
import CastWire
import GatewayCore
import Logging
import NIOCore

/// What the device's platform says: its status, and that it closes connections.
extension DeviceSession {
    func receiveConnectionMessage(_ message: CastMessage) {
        guard ConnectionPayload(message.payload)?.kind == .close else { return }
        if message.destination == .platformSender {
            guard message.source == .platformReceiver else {
                self.cast?.closed(message.source)
                return
            }
            guard self.platform.mayReopen() else {
                self.channel?.close("the device keeps closing the platform connection")
                return
            }
            self.say(ConnectionPayload.close().payload, in: .connection, to: .platformReceiver)
            self.connectPlatform()
        } else if let north = self.senderIDs.north(of: message.destination), let relay = self.relays[north.relay] {
            guard !self.reopenPlatform(for: north, of: relay, after: message) else { return }
            relay.closedByDevice(message.addressed(to: north.end), to: north)
        }
    }

    /// Acknowledges and opens a sender's connection to the platform again, which its sender need not know of. What it
    /// waits for was thrown away with the connection.
    /// - Returns: false when the sender is to hear that it is closed.
    private func reopenPlatform(for north: SenderIDs.North, of relay: DeviceRelay, after close: CastMessage) -> Bool {
        guard close.source == .platformReceiver, let connect = relay.platformConnection(of: north),
            self.platform.mayReopen(north)
        else { return false }
        self.send(
            CastMessage(
                source: north.end, destination: .platformReceiver, namespace: .connection,
                payload: ConnectionPayload.close().payload), for: north)
        self.sendConnect(connect, for: north)
        let lastKnown = OfflineAnswers(lastKnown: self.status, keepsApps: true)
        for request in self.pending.takePlatformRequests(of: north) {
            // What the device has cannot be said in its place: it is asked again.
            if request.summary.type == AppAvailability.type {
                relay.receive(request.message, from: north.connection)
                continue
            }
            guard let answer = lastKnown.answer(to: request.message, request.summary) else { continue }
            relay.output?.send(answer, to: north.connection)
        }
        return true
    }

    /// Opens Castway's own connection to the platform, and asks for the status.
    func connectPlatform() {
        self.say(ConnectionPayload.connect(userAgent: "Castway").payload, in: .connection, to: .platformReceiver)
        self.askStatus()
    }

    /// Asks for the status; whoever answers, it is taken as any other.
    func askStatus() {
        let request = ReceiverRequest.getStatus(requestID: self.tracker.counter.next())
        self.say(request.payload, in: .receiver, to: .platformReceiver)
    }

    /// Lets the session hear what concerns it.
    func tellSession(_ message: CastMessage) {
        guard let cast else { return }
        if message.source != .platformReceiver {
            cast.received(message)
        } else if message.namespace == .multizone, let payload = MultizonePayload(message.payload) {
            cast.receivedMembers(payload)
        }
    }

    /// Keeps the platform's status, from whichever message brings it.
    /// - Returns: true when the device came online by it, which the senders have been told.
    @discardableResult
    func learn(from message: CastMessage) -> Bool {
        guard message.family == .receiver, message.source == .platformReceiver,
            PayloadSummary(peeking: message.payload).type == ReceiverStatusPayload.type,
            let status = ReceiverStatusPayload(message.payload)?.status
        else { return false }
        let before = self.sessions
        let told = self.apps
        self.status = status
        for session in told where !self.apps.contains(where: { $0.sessionID == session.sessionID }) {
            self.emitEnded(session, reason: "ended")
        }
        for session in self.apps where !told.contains(where: { $0.sessionID == session.sessionID }) {
            for relay in self.relays.values {
                self.events.publish(.sessionStarted(device: relay.virtualDevice.name, session: session))
            }
        }
        let wasOnline = self.isOnline
        self.link.answered(at: self.eventLoop.now)
        guard wasOnline || !self.isOnline else {
            self.becomeOnline(status, before: before)
            return true
        }
        self.cast?.received(status)
        return false
    }

    func emitEnded(_ session: SessionFacts, reason: String) {
        for relay in self.relays.values {
            self.events.publish(
                .sessionEnded(device: relay.virtualDevice.name, sessionID: session.sessionID, reason: reason))
        }
    }

    private func becomeOnline(_ status: ReceiverStatus, before: [SessionFacts]) {
        self.isReportedLost = false
        self.favourites = []
        if let address { self.candidates.worked(address) }
        self.online.set(self, isOnline: true)
        self.logger.info("Device online", metadata: ["address": "\(self.address.map(\.description) ?? "unknown")"])
        self.events.publish(.deviceOnline(target: self.name))
        self.senderGapEnds(before: before)
        let message = CastMessage(
            source: .platformReceiver, destination: .broadcast, namespace: .receiver,
            payload: ReceiverStatusPayload(status).payload)
        for relay in self.relays.values { relay.output?.broadcast(message) }
        self.cast?.linkUp(status)
        self.askForWantedApps()
        self.checkWhatSendersBelieve()
        self.releaseHeld()
    }
}
