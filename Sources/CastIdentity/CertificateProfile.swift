import CCrypto

/// The extensions of one kind of certificate (PROTOCOL notes 2.6 and 2.7).
struct CertificateProfile: Sendable {
    /// Extensions as libcrypto's identifier and its configuration text.
    let extensions: [(identifier: Int32, value: String)]

    /// The anchor that senders are told to trust.
    static let root = CertificateProfile(extensions: [
        (NID_basic_constraints, "critical,CA:true"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
    ])

    /// The authority between root and device; it can sign devices only.
    static let intermediate = CertificateProfile(extensions: [
        (NID_basic_constraints, "critical,CA:true,pathlen:0"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_ext_key_usage, "clientAuth"),
    ])

    /// The device. Senders demand `digitalSignature` and build the path for client authentication.
    static let device = CertificateProfile(extensions: [
        (NID_basic_constraints, "CA:false"),
        (NID_key_usage, "critical,digitalSignature"),
        (NID_ext_key_usage, "clientAuth"),
    ])

    /// The self-signed certificate of the TLS layer.
    static func tlsLeaf(_ key: TLSKeyKind) -> CertificateProfile {
        // A key on a curve enciphers nothing (RFC 8813, 3).
        let usage = key == .rsa ? "critical,digitalSignature,keyEncipherment" : "critical,digitalSignature"
        return CertificateProfile(extensions: [
            (NID_basic_constraints, "CA:false"),
            (NID_key_usage, usage),
            (NID_ext_key_usage, "serverAuth"),
        ])
    }
}
