public import CastClient
public import CastWire
public import GatewayCore
import NIOCore

// What callers have a device do, with a session of Castway's own or without one.
extension DeviceSessionDirectory {
    /// How long a caller waits for a device that is dialled for it alone.
    private static let dialPatience = TimeAmount.seconds(10)

    /// Whether there is a channel to a device of this name, or one is kept up.
    public func hasDevice(_ name: String) -> Bool { self.entry(name) != nil }

    /// The names of the devices to which channels are kept, in order.
    public var deviceNames: [String] { self.allEntries.map(\.name) }

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
        let kind = replacing.map { RequestTracker<PlatformTicket>.Kind(request.string("type") ?? "", target: $0) }
        return try await self.withEntry(device) { entry in
            let promise = entry.eventLoop.makePromise(of: RequestOutcome.self)
            if Task.isCancelled { return .aborted(.cancelled) }
            entry.execute { session in
                session.platform.call(request, in: namespace, kind: kind, promise: promise)
            }
            return await withTaskCancellationHandler {
                (try? await promise.futureResult.get()) ?? .aborted(.cancelled)
            } onCancel: {
                promise.succeed(.aborted(.cancelled))
                entry.execute { $0.platform.forget(promise) }
            }
        }.get()
    }

    /// What a device told last of itself; nil before it told anything, and when there is no channel to it.
    public func status(of device: String) async -> ReceiverStatus? {
        guard let entry = self.entry(device) else { return nil }
        return (try? await entry.submit { $0.platform.status }) ?? nil
    }

    /// What plays on a device, as far as the gateway knows: what its own session knows, or what the app said last to any sender
    /// of the gateway's.
    /// - Returns: nothing known when no app runs that plays media.
    public func media(on device: String) async -> MediaSnapshot {
        guard let entry = self.entry(device) else { return MediaSnapshot() }
        let known = try? await entry.submit { session -> MediaSnapshot in
            if let host = session.platform.session, host.transport != nil { return host.media.snapshot }
            let app = session.platform.status?.applications.first { !$0.isIdleScreen && $0.namespaces.contains(.media) }
            let status = app?.transportID.flatMap { session.platform.mediaStatus(at: $0) }.map { MediaStatus(json: $0) }
            return MediaSnapshot(app: app, status: status, at: session.eventLoop.now)
        }
        return known ?? MediaSnapshot()
    }

    /// The session with a device through which its app is controlled: the one that there is, once it has started, or one that
    /// joins what runs. Nothing is ever launched.
    /// - Parameter needsMedia: whether an app that plays no media is left alone.
    /// - Throws: ``SessionFailure``: `applicationNotRunning` when nothing runs that could be joined, `deviceNotConnected` when the
    ///   device is out of reach, and as for ``joinSession(device:sessionID:)``.
    public func controlSession(device: String, needsMedia: Bool = true) async throws(SessionFailure) -> CastSession {
        // A caller may start a session while this one looks for what runs.
        for _ in 0..<2 {
            if let session = try await self.startedSession(device) { return session }
            let status: ReceiverStatus?
            do {
                let reply = try await self.statusOrQuestion(device)
                status = reply
            } catch {
                throw SessionFailure(error)
            }
            let app = status?.applications.first {
                !$0.isIdleScreen && $0.sessionID != nil && (!needsMedia || $0.namespaces.contains(.media))
            }
            guard let sessionID = app?.sessionID else {
                throw SessionFailure(
                    .applicationNotRunning,
                    needsMedia ? "no app runs on \(device) that plays media" : "no app runs on \(device)")
            }
            do {
                return try await self.joinSession(device: device, sessionID: sessionID)
            } catch  where error.code == .invalidState {
                continue
            }
        }
        throw SessionFailure(.invalidState, "another session with \(device) is started or ended just now")
    }

    /// The session that there is, once its app can be spoken to; nil when there is none.
    private func startedSession(_ device: String) async throws(SessionFailure) -> CastSession? {
        guard let session = await self.currentSession(device: device) else { return nil }
        let host = session.host
        let failure = try? await host.eventLoop.flatSubmit {
            host.value.isStarting ? host.value.wait(for: .start) : host.eventLoop.makeSucceededFuture(nil)
        }.get()
        if let failure = failure ?? nil { throw failure }
        return session
    }

    /// What the device told last; asked for when it has told nothing yet.
    private func statusOrQuestion(_ device: String) async throws(RequestError) -> ReceiverStatus? {
        if self.isOnline(device), let status = await self.status(of: device) { return status }
        let reply = try await self.ask(["type": "GET_STATUS"], in: .receiver, of: device)
        return ReceiverStatusPayload(json: reply).status
    }

    /// Does something with a device's session; one that is in no configuration is dialled for it, and hung up when it is done.
    private func withEntry(
        _ device: String, _ body: (DeviceSessionEntry) async -> RequestOutcome
    ) async throws(RequestError) -> RequestOutcome {
        var known = self.entry(device)
        if let known, !known.isOnDemand { return await body(known) }
        if known == nil { known = try? await self.makeOnDemand(device) }
        guard let entry = known else {
            throw RequestError(.deviceNotConnected, "it is not known where \(device) is")
        }
        _ = try? await entry.eventLoop.flatSubmit { entry.session.value.hold(atMost: Self.dialPatience) }.get()
        let outcome = await body(entry)
        entry.execute { $0.release() }
        return outcome
    }
}
