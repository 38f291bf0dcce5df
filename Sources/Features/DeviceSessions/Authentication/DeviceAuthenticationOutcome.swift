package import CastIdentity
package import CastWire

/// The result of asking a device to prove itself.
package enum DeviceAuthenticationOutcome: Sendable, Equatable {
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
    /// True if the device proved itself.
    package var isVerified: Bool {
        if case .verified = self { true } else { false }
    }

    /// One word for reports: `verified`, `verified_without_nonce`, `without_nonce`, `failed` or `unavailable`.
    package var word: String {
        switch self {
        case .verified(let device): device.isFresh ? "verified" : "verified_without_nonce"
        case .notFresh: "without_nonce"
        case .failed: "failed"
        case .unavailable: "unavailable"
        }
    }

    /// The number and name by which the Cast SDKs know the outcome.
    package var code: CastErrorCode {
        switch self {
        case .verified: .noError
        case .notFresh: .deviceAuthenticationFailure
        case .failed(let failure): failure.code
        case .unavailable: .authenticationErrorReceived
        }
    }
}

extension DeviceAuthenticationOutcome: CustomStringConvertible {
    package var description: String {
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

/// The reason a device did not prove itself.
package enum DeviceAuthenticationFailure: Error, Sendable, Equatable {
    case proof(DeviceAuthFailure)
    /// The certificates allow audio only, and the device announces that it shows video (protocol notes, 2.6, 7).
    case audioOnlyDeviceShowsVideo
    /// The channel has no TLS certificate that a proof could be about.
    case noCertificate
    case replyUnreadable(WireError?)
    case challengedInReturn
    case replyEmpty
    case noReply
    /// The proof could not be verified for a reason that is not in it.
    case notVerifiable(String)
}

extension DeviceAuthenticationFailure {
    /// The number and name by which the Cast SDKs know the failure (codes 40 to 48 and 100 to 102).
    package var code: CastErrorCode {
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
    package var description: String {
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

/// A record of a device's authenticity, from the last time that it was asked.
package struct DeviceAuthenticationRecord: Sendable, Equatable {
    package let outcome: DeviceAuthenticationOutcome
    /// The time when it was asked, in seconds since 1970.
    package let time: Int64

    package init(outcome: DeviceAuthenticationOutcome, time: Int64) {
        self.outcome = outcome
        self.time = time
    }
}
