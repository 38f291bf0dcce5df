import CastClient
import CastWire
import GatewayCore
import NIOCore

/// What senders ask while the device is out of reach, and what waits for it.
///
/// A device that is just about to be there should not be said to have nothing. Two questions wait for it, for as long as
/// `sessions.wait_for_device` says: which apps it has, since some senders never ask that again; and the first that a
/// channel asks for the status, unless it is known that nothing ran on the device.
extension DeviceSession {
    /// Lets a request wait for the device.
    /// - Returns: false when it is to be answered in the device's place.
    func hold(_ message: CastMessage, _ summary: PayloadSummary, for north: SenderIDs.North) -> Bool {
        let patience = TimeAmount(self.settings.sessions.waitForDevice)
        guard patience > .zero, message.family == .receiver, message.isToPlatform, !self.link.isStopped,
            let id = summary.requestID, id != .spontaneous, self.mayWait(summary.type, north),
            self.held.hold(message, for: north, until: self.eventLoop.now + patience)
        else { return false }
        self.watchHeld()
        return true
    }

    private func mayWait(_ type: String?, _ north: SenderIDs.North) -> Bool {
        switch type {
        case AppAvailability.type: true
        case "GET_STATUS":
            // In a gap it is answered as it was last, with the app.
            !self.gap.isOpen && !self.wasIdle && self.relays[north.relay]?.waits(north.connection) ?? false
        default: false
        }
    }

    /// The device is here: what waited for it is asked now.
    func releaseHeld() {
        for relay in self.relays.values { relay.deviceFound() }
        for held in self.held.takeAll() {
            self.relays[held.north.relay]?.receive(held.message, from: held.north.connection)
        }
        self.watchHeld()
    }

    /// Answers what waits for another device than the one that will be there.
    func answerHeld(of relay: DeviceRelay) {
        self.answer(self.held.takeAll(of: ObjectIdentifier(relay)))
        self.watchHeld()
    }

    private func watchHeld() {
        guard let deadline = self.held.nextDeadline else { return self.heldTimer.cancel() }
        guard self.heldTimer.deadline != deadline else { return }
        self.heldTimer.set(until: deadline) {
            self.answer(self.held.takeExpired(at: self.eventLoop.now))
            for relay in self.relays.values { relay.output?.flush() }
            self.watchHeld()
        }
    }

    private func answer(_ held: [HeldRequests.Held]) {
        for held in held {
            guard case .answered(let answer) = self.answerInPlace(held.message) else { continue }
            self.relays[held.north.relay]?.answer(answer, to: held.north.connection)
        }
    }

    // MARK: What was said in its place

    /// More than a device is asked about at once, so that question and answer fit into a frame.
    private static let maximumAppsAsked = 128

    /// Asks the device about the apps that senders were told it has not; a sender that heard what is not so has to ask again.
    func checkWhatSendersBelieve() {
        var apps = Set<AppID>()
        for relay in self.relays.values { apps.formUnion(relay.notes.unavailableApps) }
        guard !apps.isEmpty else { return }
        let asked = apps.sorted { $0.rawValue < $1.rawValue }.prefix(Self.maximumAppsAsked)
        let request = ReceiverRequest.getAppAvailability(of: Array(asked), requestID: .spontaneous)
        self.call(request.json, in: .receiver).assumeIsolated().whenSuccess { outcome in
            guard let answer = try? AppAvailability(json: outcome.get()) else { return }
            let available = Set(answer.availableApps)
            for relay in self.relays.values { relay.learned(available: available) }
        }
    }
}
