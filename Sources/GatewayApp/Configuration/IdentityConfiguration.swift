/// `identity`: the root under which virtual devices get their certificates. Both files are given, or neither.
public struct IdentityConfiguration: Sendable, Equatable {
    /// A PEM file with the root certificate; nil lets Castway make its own root.
    public var rootCertificateFile: String?
    /// A PEM file with the private key of the root certificate.
    public var rootPrivateKeyFile: String?

    /// Makes a configuration from its parts; without files Castway makes its own root.
    public init(rootCertificateFile: String? = nil, rootPrivateKeyFile: String? = nil) {
        self.rootCertificateFile = rootCertificateFile
        self.rootPrivateKeyFile = rootPrivateKeyFile
    }
}
