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
