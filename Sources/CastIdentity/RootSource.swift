/// Where the root that signs device certificates comes from.
public enum RootSource: Sendable {
    /// Castway makes its own developer root on first use and keeps it in the state database.
    case generatedRoot

    /// A root of the operator's: the contents of two PEM files, which ``PEMFile`` reads.
    ///
    /// - Parameters:
    ///   - certificate: A CA certificate with an RSA key of 2048 bits or more.
    ///   - privateKey: Its private key, without a passphrase.
    case pem(certificate: [UInt8], privateKey: [UInt8])
}
