import CastWire

/// Why a request is not carried out.
enum PlayerRefusal: Error, Equatable {
    /// Nothing is loaded, or the state does not allow it: `INVALID_PLAYER_STATE`.
    case invalidState
    /// `INVALID_REQUEST` with a reason.
    case invalid(MediaErrorReason)

    static var invalidParameters: PlayerRefusal { .invalid(.invalidParams) }
}
