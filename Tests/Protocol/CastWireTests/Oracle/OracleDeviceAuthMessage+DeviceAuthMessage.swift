import CastWire

extension DeviceAuthMessage {
    /// What the oracle read, as Castway's type.
    init(_ oracle: OracleDeviceAuthMessage) throws {
        self.init()
        if oracle.hasChallenge {
            let part = oracle.challenge
            self.challenge = AuthChallenge(
                senderNonce: part.hasSenderNonce ? Array(part.senderNonce) : nil,
                hashAlgorithm: part.hashAlgorithm == .sha256 ? .sha256 : .sha1,
                signatureAlgorithm: AuthSignatureAlgorithm(part.signatureAlgorithm))
        }
        if oracle.hasResponse {
            let part = oracle.response
            self.response = AuthResponse(
                signature: Array(part.signature), clientAuthCertificate: Array(part.clientAuthCertificate),
                intermediateCertificates: part.intermediateCertificate.map { Array($0) },
                senderNonce: part.hasSenderNonce ? Array(part.senderNonce) : nil,
                hashAlgorithm: part.hashAlgorithm == .sha256 ? .sha256 : .sha1,
                signatureAlgorithm: AuthSignatureAlgorithm(part.signatureAlgorithm),
                crl: part.hasCrl ? Array(part.crl) : nil)
        }
        if oracle.hasError {
            switch oracle.error.errorType {
            case .internalError: self.error = AuthError(.internalError)
            case .noTls: self.error = AuthError(.noTLS)
            case .signatureAlgorithmUnavailable: self.error = AuthError(.signatureAlgorithmUnavailable)
            }
        }
    }
}

extension AuthSignatureAlgorithm {
    init(_ oracle: OracleSignatureAlgorithm) {
        switch oracle {
        case .unspecified: self = .unspecified
        case .rsassaPkcs1V15: self = .rsassaPKCS1v15
        case .rsassaPss: self = .rsassaPSS
        }
    }
}
