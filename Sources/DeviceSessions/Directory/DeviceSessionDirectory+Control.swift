public import CastClient
public import CastWire
public import GatewayCore
import NIOCore
import Synchronization
import SystemPrimitives

// What callers have a device do, with a session of Castway's own or without one.
extension DeviceSessionDirectory {
    /// How long a caller waits for a device that is dialled for it alone.
    private static let dialPatience = TimeAmount.seconds(10)
    /// How often a caller looks again when others start and end sessions at the same time.
    private static let tries = 8

    /// Whether there is a channel to a device of this name, or one is kept up.
    public func hasDevice(_ name: String) -> Bool { self.entry(name) != nil }

    /// Asks the platform of a device something, with or without a session.
    /// - Parameters:
    ///   - request: without its number.
    ///   - namespace: one of the platform's.
    ///   - replacing: what it is, when only the newest of its kind counts: one that waits fails with `replaced`. Nil replaces none.
    /// - Returns: the answer.
    /// - Throws: ``RequestError``: `deviceNotConnected` when the device is out of reach, and nothing was sent; `disconnected`
    ///   when it was lost before it answered; `replaced`, `timeout`, `cancelled`, and what the device says.
    public func ask(
        _ request: JSONObject, in namespace: Namespace, of device: String, replacing: String? = nil
    ) async throws(RequestError) -> JSONObject {
        let trace = CommandTrace.current
        let kind = replacing.map { RequestTracker<PlatformTicket>.Kind(request.string("type") ?? "", target: $0) }
        let outcome = await self.holding(device) { entry -> RequestOutcome in
            if entry.isOnDemand {
                _ = try? await entry.eventLoop.flatSubmit {
                    entry.session.value.answer(within: Self.dialPatience)
                }.get()
            }
            if Task.isCancelled { return .aborted(.cancelled) }
            let promise = entry.eventLoop.makePromise(of: RequestOutcome.self)
            entry.execute { session in
                CommandTrace.following(trace) {
                    _ = session.platform.call(request, in: namespace, kind: kind, promise: promise)
                }
            }
            return await withTaskCancellationHandler {
                (try? await promise.futureResult.get()) ?? .aborted(.cancelled)
            } onCancel: {
                promise.succeed(.aborted(.cancelled))
                entry.execute { $0.platform.forget(promise) }
            }
        }
        guard let outcome else { throw RequestError(.deviceNotConnected, "it is not known where \(device) is") }
        return try outcome.get()
    }

    /// What a device told last of itself; nil before it told anything, and when there is no channel to it.
    public func status(of device: String) async -> ReceiverStatus? {
        guard let entry = self.entry(device) else { return nil }
        return await entry.answer { $0.platform.status } ?? nil
    }

    /// What plays on a device, as far as the gateway knows: what its own session knows, or what the app said last to any sender
    /// of the gateway's.
    /// - Returns: nothing known when no app runs that plays media.
    public func media(on device: String) async -> MediaSnapshot {
        guard let entry = self.entry(device) else { return MediaSnapshot() }
        let known = await entry.answer { session -> MediaSnapshot in
            if let host = session.platform.session, host.transport != nil { return host.media.snapshot }
            let app = session.platform.status?.applications.first { !$0.isIdleScreen && $0.namespaces.contains(.media) }
            let status = app?.transportID.flatMap { session.platform.mediaStatus(at: $0) }.map { MediaStatus(json: $0) }
            return MediaSnapshot(app: app, status: status, at: session.eventLoop.now)
        }
        return known ?? MediaSnapshot()
    }

    /// The session with a device through which its app is controlled: the one that there is, once it has started, or one that
    /// joins what runs. Nothing is ever launched. A suspended session whose app is gone from the device ends.
    /// - Parameter needsMedia: whether an app that plays no media is left alone.
    /// - Throws: ``SessionFailure``: `sessionNotActive` when the session is suspended, `appDidEnterBackground` when that is since nothing
    ///   uses it, `applicationNotRunning` when nothing
    ///   runs that could be joined, `notAllowed` when `sessions.join` forbids it, `unsupportedFeature` when what runs plays no media, `deviceNotConnected` when the device is out of reach, and as for
    ///   ``joinSession(device:sessionID:)``.
    public func controlSession(device: String, needsMedia: Bool = true) async throws(SessionFailure) -> CastSession {
        let session = try await self.holding(device) { (_) async throws(SessionFailure) -> CastSession in
            // Callers may start and end sessions while this one looks for what runs.
            for _ in 0..<Self.tries {
                if let session = await self.currentSession(device: device) {
                    if try await session.becomesControllable() { return session }
                    continue
                }
                let sessionID = try await self.joinableSession(device, needsMedia: needsMedia)
                do throws(SessionFailure) {
                    return try await self.joinSession(device: device, sessionID: sessionID)
                } catch  where error.code == .invalidState {
                    continue
                }
            }
            throw SessionFailure(.invalidState, "other sessions with \(device) are started and ended just now")
        }
        guard let session else { throw SessionFailure(.deviceNotConnected, "it is not known where \(device) is") }
        return session
    }

    /// The session with a device that a caller wants: the one that there is, when it is that, or a new one. One that is being
    /// started is waited for, one that is suspended, or whose device is away, is resumed, and one with another app ends: a
    /// device has room for one app, and the gateway for one session with it. It does not end for a session that cannot be
    /// joined, since that does not run, or the device is out of reach.
    /// - Parameter isExclusive: whether the start is refused beside a session that there is, whatever it is.
    /// - Throws: ``SessionFailure``: `invalidState` beside another session with `isExclusive`; as for ``CastSession/resume(_:within:)``, ``startSession(device:app:options:)`` and
    ///   ``joinSession(device:sessionID:)``.
    public func openSession(
        device: String, _ aim: SessionAim, isExclusive: Bool = false
    ) async throws(SessionFailure) -> CastSession {
        let session = try await self.holding(device) { (_) async throws(SessionFailure) -> CastSession in
            for _ in 0..<Self.tries {
                if let present = await self.currentSession(device: device) {
                    if isExclusive {
                        throw SessionFailure(
                            .invalidState, "\(device) has a session already: \(present.number)")
                    }
                    if try await present.comes(to: aim) { return present }
                    continue
                }
                do throws(SessionFailure) {
                    switch aim {
                    case .app(let app, let options):
                        return try await self.startSession(device: device, app: app, options: options)
                    case .session(let id): return try await self.joinSession(device: device, sessionID: id)
                    }
                } catch  where error.code == .invalidState {
                    continue
                }
            }
            throw SessionFailure(.invalidState, "other sessions with \(device) are started and ended just now")
        }
        guard let session else { throw SessionFailure.unknownDevice(device) }
        return session
    }

    /// The id of the session that runs on a device and can be joined.
    private func joinableSession(_ device: String, needsMedia: Bool) async throws(SessionFailure) -> String {
        let status: ReceiverStatus?
        do throws(RequestError) {
            status = try await self.statusOrQuestion(device)
        } catch {
            throw SessionFailure(error)
        }
        let all = (status?.applications ?? []).filter { !$0.isIdleScreen && $0.sessionID != nil }
        guard !all.isEmpty else { throw SessionFailure(.applicationNotRunning, "no app runs on \(device)") }
        let apps = try await self.joinable(all, on: device)
        guard let running = apps.first else {
            throw SessionFailure(
                .notAllowed, "what runs on \(device) may not be joined: sessions.join keeps it to session.start",
                app: all.first?.appID)
        }
        guard needsMedia else { return running.sessionID ?? "" }
        guard let player = apps.first(where: { $0.namespaces.contains(.media) }) else {
            throw SessionFailure(.unsupportedFeature, "the app on \(device) plays no media")
        }
        return player.sessionID ?? ""
    }

    /// Those of some apps that `sessions.join` lets operations join.
    /// - Throws: ``SessionFailure``: `deviceNotConnected` when the device's event loop does not answer.
    private func joinable(
        _ apps: [ReceiverApplication], on device: String
    ) async throws(SessionFailure) -> [ReceiverApplication] {
        guard let entry = self.entry(device) else { return apps }
        let known = await entry.answer { ($0.settings.sessions.join, $0.owned) }
        guard let (policy, owned) = known else {
            throw SessionFailure(.deviceNotConnected, "the event loop of \(device) does not answer")
        }
        switch policy {
        case .any: return apps
        case .own: return apps.filter { $0.sessionID.map(owned.contains) ?? false }
        case .never: return []
        }
    }

    /// What the device told last; asked for when it has told nothing yet.
    private func statusOrQuestion(_ device: String) async throws(RequestError) -> ReceiverStatus? {
        if self.isOnline(device), let status = await self.status(of: device) { return status }
        let reply = try await self.ask(["type": "GET_STATUS"], in: .receiver, of: device)
        return ReceiverStatusPayload(json: reply).status
    }

    // MARK: Devices in use

    /// Does something with a device, which is not hung up meanwhile; one that is in no configuration is dialled for it.
    /// - Returns: nil when it is not known where the device is, or the gateway stops.
    func holding<Value, Failure: Error>(
        _ device: String, _ body: (DeviceSessionEntry) async throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        guard let entry = await self.hold(device) else { return nil }
        defer { entry.execute { $0.release() } }
        return try await body(entry)
    }

    private func hold(_ device: String) async -> DeviceSessionEntry? {
        for _ in 0..<Self.tries {
            var found = self.entry(device)
            if found == nil { found = try? await self.makeOnDemand(device) }
            guard let entry = found, let isHeld = await entry.holds() else { return nil }
            if isHeld { return entry }
        }
        return nil
    }
}

extension DeviceSessionEntry {
    private enum Hold {
        case asked
        case held
        /// The caller does not wait any more.
        case left
    }

    /// Holds the device within the patience of the caller. A hold that comes too late for the caller is let go.
    /// - Returns: false when the device was hung up for good just now; nil when its event loop does not answer.
    fileprivate func holds() async -> Bool? {
        let hold = Mutex(Hold.asked)
        let answer = await self.answer { session in
            hold.withLock { hold in
                guard hold == .asked, session.hold() else { return false }
                hold = .held
                return true
            }
        }
        if let answer { return answer }
        let isHeld = hold.withLock { hold in
            defer { hold = .left }
            return hold == .held
        }
        if isHeld { self.execute { $0.release() } }
        return nil
    }
}
