public import GatewayConfig

/// `virtual_devices[].apps.ID.options.failures[]`: media that the simulated player refuses or gives up.
public struct SimulatedFailure: Sendable, Equatable {
    /// At which point the media fails.
    public enum Stage: String, Sendable, CaseIterable {
        /// The LOAD fails.
        case load
        /// Playback starts and then stops with an error.
        case playback
    }

    /// Which content ids fail.
    public var match: Glob
    /// The reason in the answer, for example `INVALID_REQUEST`; nil leaves it out.
    public var reason: String?
    /// The detailed error code, 100 to 999. Default 104.
    public var detailedErrorCode: Int
    /// When it fails. Default ``Stage/load``.
    public var stage: Stage
    /// How long after the load, or after playback began, it fails. Default 0.
    public var after: Duration

    /// Makes a failure from its parts; each but the match has the default of `gateway.yaml`.
    public init(
        match: Glob,
        reason: String? = nil,
        detailedErrorCode: Int = 104,
        stage: Stage = .load,
        after: Duration = .zero
    ) {
        self.match = match
        self.reason = reason
        self.detailedErrorCode = detailedErrorCode
        self.stage = stage
        self.after = after
    }
}
