import CastWire
import GatewayCore
import NIOCore

/// Which apps the senders of a relay believe that the device has.
extension DeviceRelay {
    /// A sender that is in the middle of something has this long to begin the next thing before it is let go.
    private static let courtesy = TimeAmount.seconds(5)

    /// Gives a sender an answer, the device's or one in its place, and keeps in mind what that says of apps.
    func answer(_ answer: CastMessage, to connection: ConnectionID) {
        if answer.family == .receiver, answer.source == .platformReceiver,
            answer.summary.type == AppAvailability.type, let availability = AppAvailability(answer.payload)
        {
            self.notes.told(availability, to: connection)
        }
        self.output?.send(answer, to: connection)
    }

    /// The device has these apps.
    func learned(available: Set<AppID>) {
        self.notes.learned(available: available)
        self.letOutdatedGo()
    }

    /// Closes the channels of the senders that have to ask again which apps there are. One that is connected to an app, or
    /// waits for the platform, keeps its channel until it has done.
    func letOutdatedGo() {
        var isAnyLeft = false
        for connection in self.notes.outdated.sorted(by: { $0.rawValue < $1.rawValue }) {
            if self.isBusy(connection) {
                isAnyLeft = true
            } else {
                self.notes.forget(connection)
                self.output?.close(connection, reason: "the device has apps that the sender was told it has not")
            }
        }
        guard isAnyLeft else { return self.courtesyTimer.cancel() }
        self.courtesyTimer.set(until: self.eventLoop.now + Self.courtesy) { [weak self] in self?.letOutdatedGo() }
    }
}
