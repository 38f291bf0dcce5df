package import CastClient
package import CastWire
package import GatewayCore
import NIOCore
import SystemPrimitives

/// A session of Castway's own with an app on a device, for callers on any thread.
///
/// Made by ``DeviceSessionDirectory/startSession(device:app:options:)``. The session outlives this object, connections, and
/// with `sessions.restore_on_start` the gateway; it ends when a caller ends it, or a user or another sender at the device.
package final class CastSession: Sendable {
    package let number: Int
    /// The device's name in the gateway.
    package let device: String
    /// Controls what the app plays; it goes on when the session is resumed.
    package let media: MediaClient
    let host: NIOLoopBound<SessionHost>
    private let bus: EventBus

    /// Called on the session's event loop.
    init(of host: SessionHost, events: EventBus) {
        self.host = NIOLoopBound(host, eventLoop: host.eventLoop)
        self.media = host.media.client
        self.number = host.number
        self.device = host.device.name
        self.bus = events
    }

    // MARK: What is known

    /// The facts of the session; after its end, those of the end.
    package var facts: CastSessionFacts {
        get async throws(SessionFailure) { try await self.read { $0.facts } }
    }

    /// The launch options of its app.
    package var options: LaunchOptions {
        get async throws(SessionFailure) { try await self.read { $0.options } }
    }

    /// Since when it is there, in this run of the gateway, and what it plays is as it is.
    package var times: AppTimes {
        get async throws(SessionFailure) { try await self.read { $0.times } }
    }

    /// The device's last status; nil before it told anything.
    package var deviceStatus: ReceiverStatus? {
        get async throws(SessionFailure) { try await self.read { $0.device.platform.status } }
    }

    /// The abilities of the device's volume.
    package var traits: SessionTraits {
        get async throws(SessionFailure) { SessionTraits(try await self.deviceStatus?.volume) }
    }

    /// The stored media that played, in another run of the gateway too: `mediaSessionId`, `currentTime` in seconds at `time`
    /// (seconds since 1970), and the media `status`; nil when nothing did.
    package var storedMedia: JSONObject? {
        get async throws(SessionFailure) { try await self.read { $0.storedMedia } }
    }

    /// Begins to receive what happens to this session.
    /// - Parameter limit: how many events may wait; beyond it the oldest is lost.
    package func events(limit: Int = 256) -> EventSubscription {
        self.bus.subscribe(limit: limit) { [number] event in
            if case .castSession(let facts, _) = event { facts.number == number } else { false }
        }
    }

    // MARK: Its life

    /// Ends the session, and waits until it has ended. One that has ended already is left as it is.
    /// - Parameter action: what becomes of the app; nil as `sessions.stop_app_on_end` says.
    /// - Throws: ``SessionFailure``, when the app could not be stopped; the session has ended all the same.
    package func end(_ action: SessionEndAction? = nil) async throws(SessionFailure) {
        try await self.operate(.end) { $0.end(action) }
    }

    /// Leaves the app for a while; it goes on, and the session is not resumed before ``resume(_:)``.
    /// - Throws: ``SessionFailure``: `sessionNotActive` when it is being started or stopped, or has ended.
    package func suspend(_ reason: SessionSuspendReason = .appBackgrounded) async throws(SessionFailure) {
        let isSuspended = try await self.read { host in
            host.suspend(reason)
            return host.isSuspended
        }
        guard isSuspended else {
            throw SessionFailure(.sessionNotActive, "the session is being started or stopped, or over")
        }
    }

    /// Goes on with a suspended session, and waits until its app can be spoken to. Nothing is ever launched.
    /// - Parameter limit: how long a device that is away is waited for; the session is resumed all the same when it comes back
    ///   later.
    /// - Throws: ``SessionFailure``: `resumeSessionMismatch`, `resumeApplicationMismatch`, `applicationNotRunning`, when the
    ///   session does not run any more, `sessionNotActive` when it has ended, `deviceNotConnected` when the time is over, and
    ///   `cancelled`.
    package func resume(
        _ cause: SessionResumeCause = .foreground, within limit: Duration = .seconds(30)
    ) async throws(SessionFailure) {
        try await self.operate(.resume, within: limit) { $0.resume(cause) }
    }

    // MARK: Volume

    /// Changes the device's level, from 0 to 1. A change that still waits is replaced.
    /// - Throws: ``SessionFailure``: `replaced` when a newer change took the place of this one, `unsupportedFeature` when the
    ///   level is fixed, `deviceNotConnected`, `timeout`.
    package func setVolume(_ level: Double) async throws(SessionFailure) {
        if try await self.traits.isFixedVolume {
            throw SessionFailure(.unsupportedFeature, "the volume of \(self.device) is fixed")
        }
        let volume = ReceiverVolume(level: min(max(level.isNaN ? 0 : level, 0), 1))
        try await self.call(
            ["type": "SET_VOLUME", "volume": .object(volume.json)], in: .receiver,
            kind: .init("SET_VOLUME", target: "level"))
    }

    // MARK: The way to the event loop

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (SessionHost) -> Value
    ) async throws(SessionFailure) -> Value {
        let host = self.host
        let answer = await host.eventLoop.answer(
            about: "real:\(self.device)", CommandTrace.carried { body(host.value) })
        guard let answer else {
            throw SessionFailure(.timeout, "the event loop of \(self.device) does not answer")
        }
        return answer
    }

    /// Has the session do something, and waits for the end of it.
    ///
    /// A caller that is cancelled waits no more, except for the end of the session, which comes soon.
    /// - Parameter limit: how long that may take; nil when it ends by itself.
    private func operate(
        _ operation: SessionOperation, within limit: Duration? = nil,
        _ body: @escaping @Sendable (SessionHost) -> Void
    ) async throws(SessionFailure) {
        let host = self.host
        let cancelled = SessionFailure(.cancelled, "the caller does not wait any more")
        if operation != .end, Task.isCancelled { throw cancelled }
        let promise: EventLoopPromise<SessionFailure?> =
            if let limit {
                host.eventLoop.makePromise(within: TimeAmount(limit)) {
                    $0.succeed(SessionFailure(.deviceNotConnected, "the device has not come back in time"))
                }
            } else {
                host.eventLoop.makePromise()
            }
        host.eventLoop.execute(
            CommandTrace.carried {
                host.value.wait(for: operation, promise)
                body(host.value)
            })
        let failure: SessionFailure?
        do {
            failure = try await withTaskCancellationHandler {
                try await promise.futureResult.get()
            } onCancel: {
                if operation != .end { promise.succeed(cancelled) }
            }
        } catch {
            throw SessionFailure(.unknown, "\(error)")
        }
        if let failure { throw failure }
    }

    private func call(
        _ json: JSONObject, in namespace: Namespace, kind: RequestTracker<PlatformTicket>.Kind?
    ) async throws(SessionFailure) {
        let host = self.host
        let outcome: RequestOutcome
        do {
            outcome = try await host.eventLoop.flatSubmit(
                CommandTrace.carried { host.value.device.platform.call(json, in: namespace, kind: kind) }
            ).get()
        } catch {
            throw SessionFailure(.unknown, "\(error)")
        }
        do {
            _ = try outcome.get()
        } catch {
            throw SessionFailure(error)
        }
    }
}

/// The abilities of the volume of a session's device.
package struct SessionTraits: Hashable, Sendable {
    package let minimumVolume: Double
    package let maximumVolume: Double
    /// By how much the level is to be changed at once; 0 when it cannot be changed.
    package let volumeIncrement: Double
    /// True if the device can be muted.
    package let supportsMuting: Bool

    package var isFixedVolume: Bool { self.minimumVolume == self.maximumVolume }

    /// Reads what a device says of its volume; one that says nothing has the usual range.
    package init(_ volume: ReceiverVolume?) {
        let isFixed = volume?.controlType == .fixed
        let level = volume?.level ?? 1
        let step = volume?.stepInterval.flatMap { $0 > 0 && $0 <= 1 ? $0 : nil }
        self.minimumVolume = isFixed ? level : 0
        self.maximumVolume = isFixed ? level : 1
        self.volumeIncrement = isFixed ? 0 : step ?? 0.05
        self.supportsMuting = !isFixed
    }
}
