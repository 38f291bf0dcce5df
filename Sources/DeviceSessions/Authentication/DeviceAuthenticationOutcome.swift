public import CastIdentity
public import CastWire
public import GatewayCore

/// What came of asking a device to prove itself.
public enum DeviceAuthenticationOutcome: Sendable, Equatable {
    /// The proof holds.
    case verified(VerifiedDevice)
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

    /// The number and name by which the Cast SDKs know the outcome.
    public var code: CastErrorCode {
        switch self {
        case .verified: .noError
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
        case .failed(let failure): failure.description
        case .unavailable(.internalError): "the device says that it has no proof to give"
        case .unavailable(.noTLS): "the device says that the channel has no TLS"
        case .unavailable(.signatureAlgorithmUnavailable): "the device says that it cannot sign as it was asked to"
        }
    }
}
