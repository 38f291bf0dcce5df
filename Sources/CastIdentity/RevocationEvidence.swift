/// What a device's proof says about revoked certificates.
public enum RevocationEvidence: Sendable, Equatable {
    /// Nothing, which is no failure: lists are optional (PROTOCOL notes 2.8).
    case none
    /// Something that cannot be used.
    case unusable(RevocationListFailure)
    /// A list, yet to be verified.
    case list(SignedRevocationList)
}
