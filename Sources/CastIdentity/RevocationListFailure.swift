/// Why a revocation list is not looked at.
public enum RevocationListFailure: Error, Equatable, Sendable {
    /// The bundle or the list in it cannot be read.
    case unreadable(reason: String)

    /// The bundle holds no list of a version that Castway knows.
    case versionUnknown

    /// The signer's certificate is not readable.
    case signerUnreadable

    /// The signer's certificate does not lead to a root for revocation lists.
    case signerUntrusted(DeviceAuthFailure)

    /// The signature is not one by the signer over the list.
    case signatureWrong

    /// The list does not count yet; `notBefore` in seconds since 1970.
    case notYetValid(notBefore: Int64)

    /// The list counts no more; `notAfter` in seconds since 1970.
    case expired(notAfter: Int64)

    /// A range of serial numbers ends before it begins.
    case rangeReversed
}

extension RevocationListFailure: CustomStringConvertible {
    /// Half a sentence for logs.
    public var description: String {
        switch self {
        case .unreadable(let reason): "it is not readable: \(reason)"
        case .versionUnknown: "it is of an unknown version"
        case .signerUnreadable: "the certificate of its signer is not readable"
        case .signerUntrusted(let failure): "its signer is not trusted: \(failure)"
        case .signatureWrong: "its signature does not match"
        case .notYetValid(let notBefore): "it begins at \(CertificateTime.text(notBefore))"
        case .expired(let notAfter): "it expired at \(CertificateTime.text(notAfter))"
        case .rangeReversed: "one of its ranges ends before it begins"
        }
    }
}
