import CastTransport
public import CastWire
import NIOCore
import SystemPrimitives

/// Moves playback from one device to another, or from and to a player outside of Cast (protocol notes, 8.5).
///
///     let result = try await StreamTransfer(from: origin, to: target).run()
public struct StreamTransfer: Sendable {
    private let origin: TransferOrigin
    private let target: TransferTarget
    private let timeout: Duration

    /// Prepares a transfer.
    /// - Parameters:
    ///   - origin: where playback comes from.
    ///   - target: where it goes.
    ///   - timeout: how long it may take until the other device plays.
    public init(from origin: TransferOrigin, to target: TransferTarget, timeout: Duration = .seconds(60)) {
        self.origin = origin
        self.target = target
        self.timeout = timeout
    }

    /// Does it.
    /// - Throws: ``TransferFailure``; then it plays where it played, if that was possible.
    public func run() async throws(TransferFailure) -> TransferResult {
        var run = TransferRun(origin: self.origin, target: self.target, timeout: self.timeout)
        return try await run.run()
    }
}

/// Where playback comes from.
public enum TransferOrigin: Sendable {
    /// An app on a device.
    /// - Parameters:
    ///   - client: follows and commands it.
    ///   - stop: ends playback there, once it plays elsewhere; gives whether that was possible.
    case device(client: MediaClient, stop: @Sendable () async -> Bool)
    /// A player outside of Cast that describes what it plays. It stops by itself.
    case local(SessionState)
}

/// Where playback goes.
public enum TransferTarget: Sendable {
    /// An app on a device: started or joined when it is its turn.
    case device(start: @Sendable () async throws -> MediaClient)
    /// A player outside of Cast that takes what it is to play.
    case local(accept: @Sendable (SessionState) async throws -> Void)
}

/// How playback moved to another device.
public struct TransferResult: Hashable, Sendable {
    /// What the other device was told.
    public enum Way: String, Hashable, Sendable {
        /// The state was handed over as the first device described it.
        case resumed
        /// The app does not know that, so the media was loaded anew.
        case loaded
        /// The state was given to a player outside of Cast.
        case handedOver
    }

    /// What the other device was told.
    public let way: Way
    /// Whether the first device described its state itself; otherwise it was made of its last status.
    public let isStateOfApp: Bool
    /// Whether the first device could be stopped.
    public let isOriginStopped: Bool
}

/// Why playback did not move to another device, and what became of it.
public struct TransferFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// At which step it failed; the first two have the numbers of the Android SDK (protocol notes, 8.5).
    public enum Reason: Int, Hashable, Sendable {
        /// There is nothing to take along: no media, or none that can be described.
        case storeState = 100
        /// It took too long.
        case timeout = 101
        /// The other device could not be reached, or does not start the app.
        case target = 102
        /// The other device does not play.
        case playback = 103
    }

    /// At which step.
    public let reason: Reason
    /// The same in a sentence.
    public let message: String
    /// Whether it plays on where it played before; nil when it never stopped there, or there was no such place.
    public let wasRolledBack: Bool?

    /// Makes a failure.
    public init(reason: Reason, message: String, wasRolledBack: Bool?) {
        self.reason = reason
        self.message = message
        self.wasRolledBack = wasRolledBack
    }

    /// The sentence.
    public var description: String { self.message }
}

/// One transfer at work: does what the state machine says, and tells it what came of it.
struct TransferRun {
    private let origin: TransferOrigin
    private let target: TransferTarget
    private let deadline: NIODeadline
    private let playingSession: Int?
    private var machine: TransferStateMachine
    private var targetClient: MediaClient?
    /// What the other device played before it was asked.
    private var targetSession: Int?

    init(origin: TransferOrigin, target: TransferTarget, timeout: Duration) {
        self.origin = origin
        self.target = target
        self.deadline = .now() + TimeAmount(timeout)
        var hasOrigin = false
        var session: Int?
        if case .device(let client, _) = origin {
            hasOrigin = true
            session = client.snapshot.mediaSessionID
        }
        var hasTarget = false
        if case .device = target { hasTarget = true }
        self.playingSession = session
        self.machine = TransferStateMachine(hasOrigin: hasOrigin, hasTarget: hasTarget, deadline: self.deadline)
    }

    private var originClient: MediaClient? {
        if case .device(let client, _) = self.origin { client } else { nil }
    }

    /// The state as it is known on this side.
    private var knownState: SessionState? {
        switch self.origin {
        case .device(let client, _): SessionState(client.snapshot, queue: client.queue, at: client.now)
        case .local(let state): state
        }
    }

    mutating func run() async throws(TransferFailure) -> TransferResult {
        let canStore = self.originClient?.snapshot.supports(.streamTransfer) ?? false
        var action = self.machine.begin(self.knownState, canStore: canStore)
        while true {
            if case .finish(let result) = action {
                if case .failure = result { await self.stopTarget() }
                return try result.get()
            }
            action = await self.perform(action)
        }
    }

    private mutating func perform(_ action: TransferStateMachine.Action) async -> TransferStateMachine.Action {
        switch action {
        case .store:
            let outcome = await self.ask(self.originClient, .storeSession().with(timeout: self.share))
            return self.machine.stored(outcome, else: self.knownState)
        case .startTarget:
            return self.machine.targetStarted(await self.startTarget(), at: .now())
        case .resume(let state):
            let outcome = await self.ask(self.targetClient, .resumeSession(state).with(timeout: self.share))
            self.checkOrigin()
            return self.machine.answered(outcome, at: .now())
        case .load(let load):
            let outcome = await self.ask(self.targetClient, .load(load).with(timeout: self.remaining))
            self.checkOrigin()
            return self.machine.answered(outcome, at: .now())
        case .awaitPlayback:
            let isPlaying = await self.awaitPlayback()
            self.checkOrigin()
            return self.machine.playbackSeen(isPlaying, at: .now())
        case .handOver(let state):
            return self.machine.handedOver(await self.handOver(state))
        case .stopOrigin:
            guard case .device(_, let stop) = self.origin else { return self.machine.originStopped(true) }
            return self.machine.originStopped(await stop())
        case .restoreOrigin(let load):
            await self.stopTarget()
            return self.machine.originRestored(await self.ask(self.originClient, .load(load)).isCompleted)
        case .finish:
            return action
        }
    }

    private var remaining: Duration { .nanoseconds(max((self.deadline - .now()).nanoseconds, 0)) }

    /// For what an app need not know, so that time is left for what every app can.
    private var share: Duration { min(.seconds(20), self.remaining / 2) }

    /// Stops what the other device began to play, since the transfer has failed.
    private func stopTarget() async {
        guard let client = self.targetClient, client.snapshot.hasMediaSession,
            client.snapshot.mediaSessionID != self.targetSession
        else { return }
        _ = await self.ask(client, .stop().with(timeout: .seconds(5)))
    }

    private func ask(_ client: MediaClient?, _ command: MediaCommand) async -> RequestOutcome {
        await client?.start(command).outcome() ?? .timedOut
    }

    /// Another sender may have stopped the first device meanwhile.
    private mutating func checkOrigin() {
        guard let client = self.originClient else { return }
        let snapshot = client.snapshot
        if snapshot.mediaSessionID != self.playingSession || !snapshot.hasMediaSession { self.machine.originEnded() }
    }

    private mutating func startTarget() async -> String? {
        guard case .device(let start) = self.target else { return "there is no other device" }
        do {
            let client = try await start()
            self.targetClient = client
            self.targetSession = client.snapshot.mediaSessionID
            return nil
        } catch {
            return TransportError.text(of: error)
        }
    }

    private func handOver(_ state: SessionState) async -> String? {
        guard case .local(let accept) = self.target else { return "there is no player" }
        do {
            try await accept(state)
            return nil
        } catch {
            return TransportError.text(of: error)
        }
    }

    /// True as soon as the other device plays or is paused; false when it fails, or the time is over.
    private func awaitPlayback() async -> Bool {
        guard let client = self.targetClient else { return false }
        let events = client.events()
        let patience = self.remaining
        return await race {
            if let answer = Self.isPlaying(client.snapshot) { return answer }
            for await _ in events {
                if let answer = Self.isPlaying(client.snapshot) { return answer }
            }
            return false
        } against: {
            try? await Task.sleep(for: patience)
            return false
        }
    }

    /// Nil while it is not clear yet.
    private static func isPlaying(_ snapshot: MediaSnapshot) -> Bool? {
        switch snapshot.playerState {
        case .playing, .paused: snapshot.media != nil ? true : nil
        case .idle: snapshot.idleReason == .error || snapshot.idleReason == .cancelled ? false : nil
        case .unknown, .loading, .buffering: nil
        }
    }
}
