public import CastIdentity
public import CastWire
public import GatewayCore

/// What came of asking a device to prove itself.
public enum DeviceAuthenticationOutcome: Sendable, Equatable {
    /// The proof holds, and was made for this challenge; or without a nonce, where the configuration lets that do
    /// (``VerifiedDevice/isFresh`` tells).
    case verified(VerifiedDevice)
    /// All of the proof holds, but it repeats no nonce: it may have been recorded, so it does not show that the device is
    /// there.
    case notFresh(VerifiedDevice)
    /// The proof does not hold, or did not come.
    case failed(DeviceAuthenticationFailure)
    /// The device says that it cannot give one.
    case unavailable(AuthError.Kind)
}

extension DeviceAuthenticationOutcome {
    /// Whether the device proved itself.
    public var isVerified: Bool {
        if case .verified = self { true } else { false }
    }

    /// One word for reports: `verified`, `verified_without_nonce`, `without_nonce`, `failed` or `unavailable`.
    public var word: String {
        switch self {
        case .verified(let device): device.isFresh ? "verified" : "verified_without_nonce"
        case .notFresh: "without_nonce"
        case .failed: "failed"
        case .unavailable: "unavailable"
        }
    }

    /// The number and name by which the Cast SDKs know the outcome.
    public var code: CastErrorCode {
        switch self {
        case .verified: .noError
        case .notFresh: .deviceAuthenticationFailure
        case .failed(let failure): failure.code
        case .unavailable: .authenticationErrorReceived
        }
    }
}

extension DeviceAuthenticationOutcome: CustomStringConvertible {
    /// One sentence for logs.
    public var description: String {
        switch self {
        case .verified(let device): "it is \(device.commonName)\(device.isAudioOnly ? ", for audio only" : "")"
        case .notFresh(let device):
            "its proof is that of \(device.commonName), but repeats no nonce, so it may have been made before"
        case .failed(let failure): failure.description
        case .unavailable(.internalError): "the device says that it has no proof to give"
        case .unavailable(.noTLS): "the device says that the channel has no TLS"
        case .unavailable(.signatureAlgorithmUnavailable): "the device says that it cannot sign as it was asked to"
        }
    }
}
