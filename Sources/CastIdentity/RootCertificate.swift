/// The root that senders must trust to accept Castway's virtual devices.
public struct RootCertificate: Sendable, Equatable {
    /// The certificate as DER.
    public let der: [UInt8]

    /// The certificate as PEM text, the form that Chromium's `--cast-developer-certificate-path` wants.
    public let pem: String

    /// The subject, such as `CN=Castway Developer Root 1a2b3c4d,O=Castway`.
    public let subject: String

    /// The first moment of its validity, in seconds since 1970.
    public let notBefore: Int64

    /// The last moment of its validity, in seconds since 1970.
    public let notAfter: Int64

    /// SHA-256 of ``der`` in lower-case hexadecimal digits.
    public let fingerprint: String
}
