import CastWire
import NIOCore

/// The steps by which playback moves between devices, or from and to a player outside of Cast (protocol notes, 8.5).
///
/// The state is taken first; the first device plays on until the other one does. When the other one fails, the first one is
/// told to go on, unless it never stopped. One action at a time; each is answered by one event.
struct TransferStateMachine {
    /// What the owner does next.
    enum Action: Equatable {
        /// Asks the first device for its state.
        case store
        /// Starts the app on the other device.
        case startTarget
        /// Hands the state over.
        case resume(SessionState)
        /// Loads what the state describes.
        case load(LoadRequest)
        /// Waits until the other device plays, or is paused.
        case awaitPlayback
        /// Gives the state to the player outside of Cast.
        case handOver(SessionState)
        /// Ends playback on the first device.
        case stopOrigin
        /// Loads again on the first device what it played.
        case restoreOrigin(LoadRequest)
        /// Is done.
        case finish(Result<TransferResult, TransferFailure>)
    }

    private enum State: Equatable {
        case idle
        case storing
        case startingTarget
        case resuming
        case loading
        case awaitingPlayback
        case handingOver
        case stoppingOrigin
        case restoringOrigin(TransferFailure.Reason, String)
        case done
    }

    private var state = State.idle
    private let hasOrigin: Bool
    private let hasTarget: Bool
    private let deadline: NIODeadline
    private var way = TransferResult.Way.resumed
    private var isStateOfApp = false
    private var taken = SessionState()

    /// Prepares a transfer.
    /// - Parameters:
    ///   - hasOrigin: false when it begins outside of Cast.
    ///   - hasTarget: false when it ends outside of Cast.
    ///   - deadline: when the other device must play at last.
    init(hasOrigin: Bool, hasTarget: Bool, deadline: NIODeadline) {
        self.hasOrigin = hasOrigin
        self.hasTarget = hasTarget
        self.deadline = deadline
    }

    private var load: LoadRequest { self.taken.loadRequestData ?? LoadRequest() }

    /// Begins.
    /// - Parameters:
    ///   - state: the state of a player outside of Cast, or one made of the first device's status.
    ///   - canStore: whether the app says that it can describe its state.
    mutating func begin(_ state: SessionState?, canStore: Bool) -> Action {
        guard self.state == .idle else { return self.nothing() }
        if let state { self.taken = state }
        if self.hasOrigin, canStore {
            self.state = .storing
            return .store
        }
        return self.takeAlong(state)
    }

    /// The first device described its state, or did not.
    mutating func stored(_ outcome: RequestOutcome, else state: SessionState?) -> Action {
        guard self.state == .storing else { return self.nothing() }
        if case .completed(let reply) = outcome,
            let stored = reply.object("sessionState").map({ SessionState(json: $0) }),
            let load = stored.loadRequestData, load.media != nil || load.queueData != nil
        {
            self.isStateOfApp = true
            return self.takeAlong(stored)
        }
        return self.takeAlong(state)
    }

    private mutating func takeAlong(_ state: SessionState?) -> Action {
        guard let state, state.loadRequestData != nil else {
            return self.fail(.storeState, "there is nothing to take along")
        }
        self.taken = state
        if self.hasTarget {
            self.state = .startingTarget
            return .startTarget
        }
        self.state = .handingOver
        self.way = .handedOver
        return .handOver(state)
    }

    /// The app runs on the other device, or does not.
    mutating func targetStarted(_ failure: String?, at now: NIODeadline) -> Action {
        guard self.state == .startingTarget else { return self.nothing() }
        if let failure { return self.fail(.target, failure) }
        if now >= self.deadline { return self.fail(.timeout, "the other device took too long") }
        self.state = .resuming
        return .resume(self.taken)
    }

    /// The other device answered to what it was handed.
    mutating func answered(_ outcome: RequestOutcome, at now: NIODeadline) -> Action {
        switch (self.state, outcome) {
        case (.resuming, .completed), (.loading, .completed):
            self.state = .awaitingPlayback
            return .awaitPlayback
        case (.resuming, _) where now < self.deadline:
            // Not every app knows of stored states, but all can load.
            self.state = .loading
            self.way = .loaded
            return .load(self.load)
        case (.resuming, _), (.loading, .timedOut):
            return self.rollBack(.timeout, "the other device did not answer in time", at: now)
        case (.loading, _):
            return self.rollBack(.playback, Self.text(outcome), at: now)
        default:
            return self.nothing()
        }
    }

    /// The other device plays, or it became clear that it does not.
    mutating func playbackSeen(_ isPlaying: Bool, at now: NIODeadline) -> Action {
        guard self.state == .awaitingPlayback else { return self.nothing() }
        guard isPlaying else {
            let reason: TransferFailure.Reason = now >= self.deadline ? .timeout : .playback
            return self.rollBack(reason, "the other device does not play", at: now)
        }
        return self.stopOrigin()
    }

    /// The player outside of Cast took the state, or did not.
    mutating func handedOver(_ failure: String?) -> Action {
        guard self.state == .handingOver else { return self.nothing() }
        if let failure { return self.fail(.playback, failure) }
        return self.stopOrigin()
    }

    private mutating func stopOrigin() -> Action {
        guard self.hasOrigin else { return self.succeed(isOriginStopped: true) }
        self.state = .stoppingOrigin
        return .stopOrigin
    }

    /// The first device stopped, or could not be told to.
    mutating func originStopped(_ isStopped: Bool) -> Action {
        guard self.state == .stoppingOrigin else { return self.nothing() }
        return self.succeed(isOriginStopped: isStopped)
    }

    /// Whether the first device still plays is asked when the other one failed.
    private var originStillPlays = true

    /// Playback on the first device ended while the other one was started.
    mutating func originEnded() {
        self.originStillPlays = false
    }

    private mutating func rollBack(_ reason: TransferFailure.Reason, _ message: String, at now: NIODeadline) -> Action {
        guard self.hasOrigin, !self.originStillPlays else { return self.fail(reason, message) }
        self.state = .restoringOrigin(reason, message)
        return .restoreOrigin(self.load)
    }

    /// The first device plays again, or does not.
    mutating func originRestored(_ isRestored: Bool) -> Action {
        guard case .restoringOrigin(let reason, let message) = self.state else { return self.nothing() }
        self.state = .done
        return .finish(
            .failure(TransferFailure(reason: reason, message: message, wasRolledBack: isRestored)))
    }

    private mutating func succeed(isOriginStopped: Bool) -> Action {
        self.state = .done
        return .finish(
            .success(
                TransferResult(way: self.way, isStateOfApp: self.isStateOfApp, isOriginStopped: isOriginStopped)))
    }

    private mutating func fail(_ reason: TransferFailure.Reason, _ message: String) -> Action {
        self.state = .done
        return .finish(.failure(TransferFailure(reason: reason, message: message, wasRolledBack: nil)))
    }

    /// An event that fits no step ends the transfer: going on would do things twice.
    private mutating func nothing() -> Action {
        self.fail(.timeout, "the transfer is over")
    }

    private static func text(_ outcome: RequestOutcome) -> String {
        do {
            _ = try outcome.get()
            return "the other device does not play"
        } catch {
            return error.message
        }
    }
}
