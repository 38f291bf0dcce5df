public import CastWire

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
