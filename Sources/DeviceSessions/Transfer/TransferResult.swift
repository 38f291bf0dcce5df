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
