public import CastWire

/// Where playback goes.
public enum TransferTarget: Sendable {
    /// An app on a device: started or joined when it is its turn.
    case device(start: @Sendable () async throws -> MediaClient)
    /// A player outside of Cast that takes what it is to play.
    case local(accept: @Sendable (SessionState) async throws -> Void)
}
