import CCrypto

/// Owns one path building from a certificate to a trusted root.
struct ChainValidation: ~Copyable {
    /// The purpose that the certificates of the path have to be fit for.
    enum Purpose {
        /// Devices, as senders judge them (PROTOCOL notes 2.6).
        case clientAuthentication
        /// Signers of revocation lists.
        case any
    }

    private let handle: OpaquePointer
    private let purpose: Purpose

    /// The chain that was found, device first; all its certificates are CA certificates but the first.
    struct Outcome: Equatable {
        let isAudioOnly: Bool
        let rootFingerprint: String
        let links: [ChainLink]
    }

    private static let maximumDepth: Int32 = 10

    /// The policy that limits a device to audio (PROTOCOL notes 2.6).
    private static let audioOnlyPolicy = "1.3.6.1.4.1.11129.2.5.2"

    init?(purpose: Purpose) {
        guard let handle = X509_STORE_CTX_new() else { return nil }
        self.handle = handle
        self.purpose = purpose
    }

    deinit {
        X509_STORE_CTX_free(self.handle)
    }

    /// Builds and judges the path.
    ///
    /// - Parameters:
    ///   - device: The end of the chain.
    ///   - intermediates: Certificates that may be used on the way.
    ///   - roots: Certificates that may end the way.
    ///   - now: Seconds since 1970.
    consuming func run(
        device: borrowing Certificate, intermediates: borrowing CertificateStack, roots: TrustStore, now: Int64
    ) throws(DeviceAuthFailure) -> Outcome {
        let handle = self.handle
        let purpose = self.purpose == .any ? X509_PURPOSE_ANY : X509_PURPOSE_SSL_CLIENT
        // The context refers to all three without owning them, so everything happens while they are lent.
        let result = roots.withHandle { roots in
            device.withHandle { device in
                intermediates.withHandle { intermediates in
                    Result { () throws(DeviceAuthFailure) in
                        guard X509_STORE_CTX_init(handle, roots, device, intermediates) == 1 else {
                            throw .cryptographyFailed(reason: OpenSSLErrors.drain())
                        }
                        try Self.verify(handle, purpose: purpose, now: now)
                        return try Self.judge(handle)
                    }
                }
            }
        }
        OpenSSLErrors.clear()
        return try result.get()
    }

    private static func verify(
        _ handle: OpaquePointer, purpose: Int32, now: Int64
    ) throws(DeviceAuthFailure) {
        guard let parameters = X509_STORE_CTX_get0_param(handle), let time = time_t(exactly: now),
            X509_STORE_CTX_set_purpose(handle, purpose) == 1,
            X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN)) == 1
        else { throw .cryptographyFailed(reason: OpenSSLErrors.drain()) }
        X509_VERIFY_PARAM_set_time(parameters, time)
        X509_VERIFY_PARAM_set_depth(parameters, Self.maximumDepth)
        // Old chains are signed with SHA-1, which any higher level refuses; key sizes are judged below.
        X509_VERIFY_PARAM_set_auth_level(parameters, 0)
        guard X509_verify_cert(handle) != 1 else { return }

        let depth = Int(X509_STORE_CTX_get_error_depth(handle))
        let code = X509_STORE_CTX_get_error(handle)
        switch code {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            throw depth == 0 ? .missingIntermediate : .untrustedRoot
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED:
            throw .untrustedRoot
        case X509_V_ERR_CERT_HAS_EXPIRED: throw .certificateExpired(depth: depth)
        case X509_V_ERR_CERT_NOT_YET_VALID: throw .certificateNotYetValid(depth: depth)
        default:
            let reason = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) }
            throw .chainInvalid(depth: depth, reason: reason ?? "error \(code)")
        }
    }

    /// The rules that libcrypto does not know.
    private static func judge(_ handle: OpaquePointer) throws(DeviceAuthFailure) -> Outcome {
        let chain = X509_STORE_CTX_get0_chain(handle)
        let count = Int(castway_x509_stack_count(chain))
        var isAudioOnly = false
        var rootFingerprint = ""
        var links: [ChainLink] = []
        for depth in 0..<max(0, count) {
            guard let certificate = Certificate(sharing: castway_x509_stack_get(chain, Int32(depth))) else {
                throw .cryptographyFailed(reason: OpenSSLErrors.drain())
            }
            guard let bits = certificate.rsaKeyBits, bits >= 2_048 else { throw .keyTooWeak(depth: depth) }
            let isBetween = depth > 0 && depth < count - 1
            guard !isBetween || (certificate.isCertificateAuthority && certificate.declares(keyUsage: KU_KEY_CERT_SIGN))
            else { throw .chainInvalid(depth: depth, reason: "it must not sign certificates") }
            if certificate.declares(policy: Self.audioOnlyPolicy) { isAudioOnly = true }
            do {
                links.append(
                    ChainLink(keyHash: try certificate.keyHash(), serialNumber: certificate.shortSerialNumber))
                if depth == count - 1 {
                    rootFingerprint = try HashAlgorithm.sha256.digest(of: try certificate.der()).hexText
                }
            } catch {
                throw .cryptographyFailed(reason: error.description)
            }
        }
        return Outcome(isAudioOnly: isAudioOnly, rootFingerprint: rootFingerprint, links: links)
    }
}

/// One certificate of a chain, as revocation lists name it.
struct ChainLink: Equatable, Sendable {
    /// SHA-256 of its `SubjectPublicKeyInfo`.
    let keyHash: [UInt8]
    /// Its serial number, when that has at most 64 bits.
    let serialNumber: UInt64?
}

/// Owns a list of certificates in the form that libcrypto wants.
struct CertificateStack: ~Copyable {
    private let handle: OpaquePointer

    /// An empty list; `nil` when memory is short.
    init?() {
        guard let handle = castway_x509_stack_new() else { return nil }
        self.handle = handle
    }

    deinit {
        castway_x509_stack_free(self.handle)
    }

    /// Adds a certificate; false when memory is short.
    borrowing func append(_ certificate: borrowing Certificate) -> Bool {
        certificate.withHandle { certificate in
            guard X509_up_ref(certificate) == 1 else { return false }
            guard castway_x509_stack_push(self.handle, certificate) > 0 else {
                X509_free(certificate)
                return false
            }
            return true
        }
    }

    borrowing func withHandle<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(self.handle)
    }
}

/// The roots that chains may end at.
///
/// `@unchecked Sendable`: nothing is added after `init`, and libcrypto guards the store with its own lock.
final class TrustStore: @unchecked Sendable {
    private let handle: OpaquePointer

    /// - Parameter roots: Certificates as DER.
    init(roots: [[UInt8]]) throws(IdentityError) {
        guard let handle = X509_STORE_new() else { throw .cryptography("collect trusted roots") }
        self.handle = handle
        for (index, der) in roots.enumerated() {
            guard let root = Certificate(der: der) else { throw .trustedRootUnreadable(index: index) }
            guard root.withHandle({ X509_STORE_add_cert(handle, $0) }) == 1 else {
                throw .cryptography("collect trusted roots")
            }
        }
    }

    deinit {
        X509_STORE_free(self.handle)
    }

    func withHandle<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(self.handle)
    }
}
