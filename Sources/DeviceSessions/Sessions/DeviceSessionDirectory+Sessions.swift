public import CastClient
public import CastWire
public import GatewayCore
import NIOCore
import SystemPrimitives

extension DeviceSessionDirectory {
    /// Starts a session with an app on a device: joins the app if it runs, launches it otherwise, and waits until it can be
    /// spoken to (protocol notes, 8.1).
    /// - Parameters:
    ///   - device: the name of a device in the configuration, or of one that discovery knows.
    ///   - app: the app; an Android app goes by the id of the web app that it stands for, too.
    /// - Throws: ``SessionFailure``: `invalidState` when the device has a session already, `deviceNotConnected` when it is not
    ///   reached within 30 s, and what the device says of the launch.
    public func startSession(
        device: String, app: AppID, options: LaunchOptions = LaunchOptions()
    ) async throws(SessionFailure) -> CastSession {
        try await self.begin(device) { session, number in
            session.startSession(number: number, app: app, options: options)
        }
    }

    /// Joins a session that runs on a device, by the id that the device gave it; nothing is ever launched.
    /// - Throws: ``SessionFailure``: `joinSessionMismatch` when it does not run, and as for
    ///   ``startSession(device:app:options:)``.
    public func joinSession(device: String, sessionID: String) async throws(SessionFailure) -> CastSession {
        try await self.begin(device) { session, number in
            session.joinSession(number: number, sessionID: sessionID)
        }
    }

    /// The session with an app on a device, also while it is started or suspended; nil when there is none.
    public func currentSession(device: String) async -> CastSession? {
        guard let entry = self.entry(device) else { return nil }
        return await self.session(of: entry)
    }

    /// All sessions, in the order of the devices' names.
    public func currentSessions() async -> [CastSession] {
        var sessions: [CastSession] = []
        for entry in self.allEntries {
            if let session = await self.session(of: entry) { sessions.append(session) }
        }
        return sessions
    }

    /// Waits until what is to be kept of sessions is on disk, or could not be written.
    public func settleRecords() async {
        await self.store?.settle()
    }

    private func session(of entry: DeviceSessionEntry) async -> CastSession? {
        let events = self.events
        let session = await entry.answer { session in
            session.platform.session.map { host in
                CastSession(
                    host: NIOLoopBound(host, eventLoop: entry.eventLoop), number: host.number, device: entry.name,
                    events: events)
            }
        }
        return session ?? nil
    }

    func begin(
        _ device: String, _ make: @escaping @Sendable (DeviceSession, _ number: Int) -> SessionHost?
    ) async throws(SessionFailure) -> CastSession {
        let session = try await self.holding(device) { (entry) async throws(SessionFailure) -> CastSession in
            try await self.begin(entry, make)
        }
        guard let session else { throw SessionFailure.unknownDevice(device) }
        return session
    }

    private func begin(
        _ entry: DeviceSessionEntry, _ make: @escaping @Sendable (DeviceSession, _ number: Int) -> SessionHost?
    ) async throws(SessionFailure) -> CastSession {
        let number = self.nextSessionNumber()
        let (device, events) = (entry.name, self.events)
        let trace = CommandTrace.current
        do {
            if Task.isCancelled { throw SessionFailure(.cancelled, "the start was cancelled") }
            let (session, failure) = try await withTaskCancellationHandler {
                try await entry.eventLoop.flatSubmit {
                    () -> EventLoopFuture<(CastSession, SessionFailure?)> in
                    guard let host = make(entry.session.value, number) else {
                        let failure = SessionFailure(.invalidState, "\(device) has a session already")
                        return entry.eventLoop.makeFailedFuture(failure)
                    }
                    let session = CastSession(
                        host: NIOLoopBound(host, eventLoop: entry.eventLoop), number: number, device: device,
                        events: events)
                    let end = CommandTrace.following(trace) {
                        defer { host.start() }
                        return host.wait(for: .start)
                    }
                    return end.map { (session, $0) }
                }.get()
            } onCancel: {
                // The device may launch the app all the same.
                entry.execute { session in
                    if let host = session.platform.session, host.number == number, host.isStarting { host.end(.leave) }
                }
            }
            if let failure { throw failure }
            return session
        } catch let failure as SessionFailure {
            throw failure
        } catch {
            throw SessionFailure(.unknown, "\(error)")
        }
    }
}
