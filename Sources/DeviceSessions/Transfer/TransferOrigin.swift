public import CastWire

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
