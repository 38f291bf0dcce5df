public import CastIdentity
public import CastWire
public import GatewayCore

/// Why a device did not prove itself.
public enum DeviceAuthenticationFailure: Error, Sendable, Equatable {
    /// A rule of the proof does not hold.
    case proof(DeviceAuthFailure)
    /// The certificates allow audio only, and the device announces that it shows video (PROTOCOL notes 2.6, 7).
    case audioOnlyDeviceShowsVideo
    /// The channel has no TLS certificate that a proof could be about.
    case noCertificate
    /// The reply cannot be read.
    case replyUnreadable(WireError?)
    /// The reply is a challenge.
    case challengedInReturn
    /// The reply holds neither a proof nor an error.
    case replyEmpty
    /// No reply came in time.
    case noReply
    /// The proof could not be verified for a reason that is not in it.
    case notVerifiable(String)
}

extension DeviceAuthenticationFailure {
    /// The number and name by which the Cast SDKs know the failure (codes 40 to 48 and 100 to 102).
    public var code: CastErrorCode {
        switch self {
        case .proof(let failure): Self.code(of: failure)
        case .audioOnlyDeviceShowsVideo: .deviceCapabilityNotSupported
        case .noCertificate: .sslCertificateNotTrusted
        case .replyUnreadable: .authenticationMessageUnreadable
        case .challengedInReturn: .authenticationChallengeReceived
        case .replyEmpty: .malformedAuthenticationResponse
        case .noReply: .authenticationTimeout
        case .notVerifiable: .deviceAuthenticationFailure
        }
    }

    private static func code(of failure: DeviceAuthFailure) -> CastErrorCode {
        switch failure {
        case .leafUnreadable, .leafNotYetValid, .leafExpired, .leafEndsTooLate: .sslCertificateNotTrusted
        case .deviceCertificateUnreadable, .intermediateUnreadable: .notX509Certificate
        case .keyUsageMissing, .commonNameMissing, .keyTooWeak: .malformedClientCertificate
        case .missingIntermediate, .untrustedRoot, .certificateExpired, .certificateNotYetValid, .chainInvalid:
            .deviceCertificateNotTrusted
        case .tooManyIntermediates, .signatureMissing, .signatureWrong, .otherNonce: .malformedAuthenticationResponse
        case .certificateRevoked: .crlCheckFailed
        case .cryptographyFailed: .deviceAuthenticationFailure
        }
    }
}

extension DeviceAuthenticationFailure: CustomStringConvertible {
    /// One sentence for logs.
    public var description: String {
        switch self {
        case .proof(let failure): failure.description
        case .audioOnlyDeviceShowsVideo: "its certificates are for audio only, and it announces that it shows video"
        case .noCertificate: "the channel has no TLS certificate"
        case .replyUnreadable(let error): "its reply cannot be read: \(error?.description ?? "it is no binary message")"
        case .challengedInReturn: "it replied with a challenge"
        case .replyEmpty: "its reply holds neither a proof nor an error"
        case .noReply: "it did not reply in time"
        case .notVerifiable(let reason): "its proof could not be verified: \(reason)"
        }
    }
}
