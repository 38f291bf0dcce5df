/// What became of the revocation list in a device's proof; certificates that it revokes are a ``DeviceAuthFailure``.
public enum RevocationCheck: Sendable, Equatable {
    /// The device brought none.
    case noList
    /// The device brought one that does not hold, so it was not looked at.
    case listInvalid(RevocationListFailure)
    /// No certificate of the chain is on the list.
    case checked
}

extension RevocationCheck: CustomStringConvertible {
    /// A few words for logs.
    public var description: String {
        switch self {
        case .noList: "no list"
        case .listInvalid(let failure): "list invalid: \(failure)"
        case .checked: "checked"
        }
    }
}
