/// The reason a device's proof does not hold.
package enum DeviceAuthFailure: Error, Equatable, Sendable {
    case leafUnreadable

    /// The TLS certificate is not valid yet; `notBefore` in seconds since 1970.
    case leafNotYetValid(notBefore: Int64)

    /// The TLS certificate has expired; `notAfter` in seconds since 1970.
    case leafExpired(notAfter: Int64)

    /// The TLS certificate ends more than four days from now; `notAfter` in seconds since 1970.
    case leafEndsTooLate(notAfter: Int64)

    case deviceCertificateUnreadable

    /// An intermediate certificate is not readable; `index` counts from 0.
    case intermediateUnreadable(index: Int)

    /// The proof holds more intermediates than ``DeviceAuthVerifier/maximumIntermediates``.
    case tooManyIntermediates(count: Int)

    /// Neither the proof nor the trusted roots hold the issuer of the device certificate.
    case missingIntermediate

    /// The chain goes on, and ends at no trusted root.
    case untrustedRoot

    /// A certificate of the chain has expired; `depth` is 0 for the device.
    case certificateExpired(depth: Int)

    /// A certificate of the chain is not valid yet; `depth` is 0 for the device.
    case certificateNotYetValid(depth: Int)

    /// The chain does not hold for another reason; `depth` is 0 for the device.
    case chainInvalid(depth: Int, reason: String)

    /// A certificate of the chain has no RSA key of 2048 bits or more; `depth` is 0 for the device.
    case keyTooWeak(depth: Int)

    /// A certificate of the chain is on the revocation list that the device brought; `depth` is 0 for the device.
    case certificateRevoked(depth: Int)

    /// The device certificate does not declare the key usage `digitalSignature`.
    case keyUsageMissing

    case commonNameMissing

    case signatureMissing

    /// The signature is not one by the device's key over nonce and TLS certificate.
    case signatureWrong

    /// The signature holds, over another nonce than that of the challenge: it was made for another challenge.
    case otherNonce

    /// libcrypto failed for a reason that is not in the proof.
    case cryptographyFailed(reason: String)
}

extension DeviceAuthFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .leafUnreadable: "the TLS certificate is not readable"
        case .leafNotYetValid(let notBefore): "the TLS certificate begins at \(CertificateTime.text(notBefore))"
        case .leafExpired(let notAfter): "the TLS certificate expired at \(CertificateTime.text(notAfter))"
        case .leafEndsTooLate(let notAfter):
            "the TLS certificate ends at \(CertificateTime.text(notAfter)), more than four days from now"
        case .deviceCertificateUnreadable: "the device certificate is not readable"
        case .intermediateUnreadable(let index): "intermediate certificate \(index) is not readable"
        case .tooManyIntermediates(let count): "there are \(count) intermediate certificates"
        case .missingIntermediate: "the issuer of the device certificate is missing"
        case .untrustedRoot: "the chain does not end at a trusted root"
        case .certificateExpired(let depth): "certificate \(depth) of the chain has expired"
        case .certificateNotYetValid(let depth): "certificate \(depth) of the chain is not valid yet"
        case .chainInvalid(let depth, let reason): "certificate \(depth) of the chain: \(reason)"
        case .keyTooWeak(let depth): "certificate \(depth) of the chain has no RSA key of 2048 bits or more"
        case .certificateRevoked(let depth): "certificate \(depth) of the chain has been revoked"
        case .keyUsageMissing: "the device certificate lacks the key usage digitalSignature"
        case .commonNameMissing: "the device certificate has no common name"
        case .signatureMissing: "the signature is empty"
        case .signatureWrong: "the signature does not match"
        case .otherNonce: "the signature is over another nonce than the one that was sent, so it was made before"
        case .cryptographyFailed(let reason): "libcrypto failed: \(reason)"
        }
    }
}
