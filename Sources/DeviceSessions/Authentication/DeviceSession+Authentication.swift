import CastTransport

/// The device proves itself before its channel is used.
extension DeviceSession {
    /// True while nothing but authentication may be said on the channel.
    var isAuthenticating: Bool { self.authenticator?.isBusy ?? false }

    /// Uses a new channel once the device has proved itself, as far as that is asked of it.
    func authenticate(_ channel: CastConnection, then open: @escaping (DeviceSession) -> Void) {
        guard let authenticator else { return open(self) }
        authenticator.begin(on: channel) { [weak self, weak channel] in
            guard let self, let channel, self.channel === channel else { return }
            open(self)
        }
    }
}
