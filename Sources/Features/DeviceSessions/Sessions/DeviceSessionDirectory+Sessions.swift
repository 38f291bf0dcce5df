package import CastClient
package import CastWire
package import GatewayCore

extension DeviceSessionDirectory {
    /// Starts a session with an app on a device: joins the app if it runs, launches it otherwise, and waits until it can be
    /// spoken to (protocol notes, 8.1).
    /// - Parameters:
    ///   - device: the name of a device in the configuration, or of one that discovery knows.
    ///   - app: the app; an Android app goes by the id of the web app that it stands for, too.
    /// - Throws: ``SessionFailure``: `invalidState` when the device has a session already, `deviceNotConnected` when it is not
    ///   reached within 30 s, and what the device says of the launch.
    package func startSession(
        device: String, app: AppID, options: LaunchOptions = LaunchOptions()
    ) async throws(SessionFailure) -> CastSession {
        try await self.session(
            with: device, .begin { $0.startSession(number: $1, app: app, options: options) },
            orElse: .unknownDevice(device))
    }

    /// The session with an app on a device, also while it is started or suspended; nil when there is none.
    package func currentSession(device: String) async -> CastSession? {
        guard let entry = self.entry(device) else { return nil }
        return await self.session(of: entry)
    }

    /// All sessions, in the order of the devices' names.
    package func currentSessions() async -> [CastSession] {
        var sessions: [CastSession] = []
        for entry in self.allEntries {
            if let session = await self.session(of: entry) { sessions.append(session) }
        }
        return sessions
    }

    /// Waits until what is to be kept of sessions is on disk, or could not be written.
    package func settleRecords() async {
        await self.store?.settle()
    }

    private func session(of entry: DeviceSessionEntry) async -> CastSession? {
        let events = self.events
        let session = await entry.answer { session in
            session.platform.session.map { CastSession(of: $0, events: events) }
        }
        return session ?? nil
    }
}
