package import CastClient
package import CastWire
package import GatewayCore
import NIOCore

// What callers have a device do, with a session of Castway's own or without one.
extension DeviceSessionDirectory {
    /// Whether there is a channel to a device of this name, or one is kept up.
    package func hasDevice(_ name: String) -> Bool { self.entry(name) != nil }

    /// Asks the platform of a device something, with or without a session.
    /// - Parameters:
    ///   - request: without its number.
    ///   - namespace: one of the platform's.
    ///   - replacing: what it is, when only the newest of its kind counts: one that waits fails with `replaced`. Nil replaces none.
    /// - Returns: the answer.
    /// - Throws: ``RequestError``: `deviceNotConnected` when the device is out of reach, and nothing was sent; `disconnected`
    ///   when it was lost before it answered; `replaced`, `timeout`, `cancelled`, and what the device says.
    package func ask(
        _ request: JSONObject, in namespace: Namespace, of device: String, replacing: String? = nil
    ) async throws(RequestError) -> JSONObject {
        let kind = replacing.map { RequestTracker<PlatformTicket>.Kind(request.string("type") ?? "", target: $0) }
        let outcome: RequestOutcome? = await self.call(device) { call, promise in
            call.ask(request, in: namespace, kind: kind) { promise.succeed($0) }
        }
        guard let outcome else { throw RequestError(.deviceNotConnected, "it is not known where \(device) is") }
        return try outcome.get()
    }

    /// The device's last status; nil before it told anything, and when there is no channel to it.
    package func status(of device: String) async -> ReceiverStatus? {
        guard let entry = self.entry(device) else { return nil }
        return await entry.answer { $0.platform.status } ?? nil
    }

    /// Returns the media on a device, as far as the gateway knows: what its own session knows, or what the app said last to any
    /// sender of the gateway's.
    /// - Returns: nothing known when no app runs that plays media.
    package func media(on device: String) async -> MediaSnapshot {
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
    /// - Throws: ``SessionFailure``: `sessionNotActive` when the session is suspended, `appDidEnterBackground` when that is since
    ///   nothing uses it, `applicationNotRunning` when nothing runs that could be joined, `joinSessionMismatch` when it ended just now,
    ///   `notAllowed` when `sessions.join` forbids it, `unsupportedFeature` when what runs plays no media, `deviceNotConnected` when
    ///   the device is out of reach, and `invalidState` when other sessions come and go all the time.
    package func controlSession(device: String, needsMedia: Bool = true) async throws(SessionFailure) -> CastSession {
        try await self.session(with: device, .control(needsMedia: needsMedia), orElse: Self.unplaced(device))
    }

    /// Has the app on a device do something with its media, through the session that ``controlSession(device:needsMedia:)`` gives.
    /// - Returns: the answer of the app, and how the media stands then.
    package func perform(
        _ command: MediaCommand, on device: String
    ) async throws(AppCommandFailure) -> (reply: JSONObject, media: MediaSnapshot) {
        try await self.find(
            .control(needsMedia: true), on: device, orElse: Self.unplaced(device), failing: AppCommandFailure.session
        ) { host, call, promise in
            guard !call.isTakenBack else { return promise.succeed(.failure(.session(SessionSearch.takenBack))) }
            let (media, answered) = (host.media, call.eventLoop.makePromise(of: RequestOutcome.self))
            let request = media.start(command)
            request.whenEnded { answered.succeed($0) }
            call.wait(for: answered.futureResult, givingUp: { request.cancel() }) { outcome in
                promise.succeed(
                    outcome.result.map { (reply: $0, media: media.snapshot) }.mapError(AppCommandFailure.request))
            }
        }
    }

    /// Sends the app on a device a message, through the session that ``controlSession(device:needsMedia:)`` gives.
    /// - Parameters:
    ///   - sessionID: the session that is meant, by the device's id; nil for the app that runs.
    ///   - origin: who sends it.
    ///   - wait: how long the answer is waited for; nil when none is.
    /// - Returns: the answer; nil without `wait`.
    /// - Throws: ``AppCommandFailure``, as for ``CastSession/send(_:in:from:wait:)``; `unsupportedNamespace` when the app does not list the
    ///   namespace, `applicationNotRunning` when it runs in another session.
    package func send(
        _ payload: CastMessage.Payload, in namespace: Namespace, to device: String, sessionID: String? = nil,
        from origin: MessageOrigin, wait: Duration?
    ) async throws(AppCommandFailure) -> JSONObject? {
        try await self.find(
            .control(needsMedia: false), on: device, orElse: Self.unplaced(device), failing: AppCommandFailure.session
        ) { host, call, promise in
            guard !call.isTakenBack else { return promise.succeed(.failure(.session(SessionSearch.takenBack))) }
            let facts = host.facts
            if let app = facts.app, !app.namespaces.contains(namespace) {
                let text = "the app on '\(device)' does not list '\(namespace)'"
                return promise.succeed(.failure(.gateway(GatewayError(.unsupportedNamespace, text))))
            }
            if let sessionID, facts.sessionID != sessionID {
                let text = "no app runs on \(device) in a session '\(sessionID)'"
                return promise.succeed(.failure(.session(SessionFailure(.applicationNotRunning, text))))
            }
            let answered = call.eventLoop.makePromise(of: RequestOutcome.self)
            host.send(payload, in: namespace, from: origin, wait: wait, promise: answered)
            call.wait(for: answered.futureResult, givingUp: { answered.succeed(.aborted(.cancelled)) }) { outcome in
                let answer = outcome.result.map { reply -> JSONObject? in wait == nil ? nil : reply }
                promise.succeed(answer.mapError { AppCommandFailure.session(SessionFailure($0)) })
            }
        }
    }

    /// The session with a device that a caller wants: the one that there is, when it is that, or a new one. One that is being
    /// started is waited for, one that is suspended, or whose device is away, is resumed, and one with another app ends: a
    /// device has room for one app, and the gateway for one session with it. It does not end for a session that cannot be
    /// joined, since that does not run, or the device is out of reach.
    /// - Parameter isExclusive: whether the start is refused beside a session that there is, whatever it is.
    /// - Throws: ``SessionFailure``: `invalidState` beside another session with `isExclusive`, `joinSessionMismatch` when the session to
    ///   be joined does not run, and as for ``CastSession/resume(_:within:)`` and ``startSession(device:app:options:)``.
    package func openSession(
        device: String, _ aim: SessionTarget, isExclusive: Bool = false
    ) async throws(SessionFailure) -> CastSession {
        try await self.session(
            with: device, .open(aim, isExclusive: isExclusive), orElse: .unknownDevice(device))
    }

    private static func unplaced(_ device: String) -> SessionFailure {
        SessionFailure(.deviceNotConnected, "it is not known where \(device) is")
    }

    /// The session that a caller needs, for callers on any thread.
    /// - Parameter unknown: what is thrown when it is not known where the device is, or the gateway stops.
    func session(
        with device: String, _ wish: SessionSearch.Wish, orElse unknown: SessionFailure
    ) async throws(SessionFailure) -> CastSession {
        let events = self.events
        return try await self.find(wish, on: device, orElse: unknown, failing: { $0 }) { host, call, promise in
            promise.succeed(.success(CastSession(of: host, events: events)))
        }
    }

    /// Finds a session on the event loop of a device, and does something with it there.
    private func find<Reply: Sendable, Failure: Error>(
        _ wish: SessionSearch.Wish, on device: String, orElse unknown: SessionFailure,
        failing: @escaping @Sendable (SessionFailure) -> Failure,
        _ body: @escaping @Sendable (SessionHost, DeviceCall, EventLoopPromise<Result<Reply, Failure>?>) -> Void
    ) async throws(Failure) -> Reply {
        let result = await self.call(device) { call, promise in
            let search = SessionSearch(wish, for: call, nextNumber: { self.nextSessionNumber() }) { outcome in
                switch outcome {
                case .found(let host): body(host, call, promise)
                case .failed(let failure): promise.succeed(.failure(failing(failure)))
                case .moved: promise.succeed(nil)
                }
            }
            search.look()
        }
        guard let result else { throw failing(unknown) }
        return try result.get()
    }
}

/// The reason that a command to an app failed.
package enum AppCommandFailure: Error, Hashable {
    /// There is no session to send it through, or the session failed.
    case session(SessionFailure)
    /// The app, or the media client, refuses it.
    case request(RequestError)
    /// The gateway refuses it.
    case gateway(GatewayError)
}
