/// Who a virtual device is towards senders: its UUID, its key and the certificates that vouch for it.
///
/// An ``IdentityStore`` makes it once and gives the same one ever after.
public struct DeviceIdentity: Sendable, Equatable {
    /// The name under which the identity is kept.
    public let name: String

    /// The device's UUID, lower case with dashes.
    public let uuid: String

    /// The 32 lower-case hexadecimal digits of ``uuid``; the form of `id` in a device's TXT record.
    public let idHex: String

    /// The device certificate as DER, `client_auth_certificate` of an authentication response.
    public let deviceCertificate: [UInt8]

    /// The certificates between device and root as DER, nearest to the device first.
    public let intermediates: [[UInt8]]

    /// SHA-256 of the root certificate's DER in lower-case hexadecimal digits.
    public let rootFingerprint: String

    let key: PrivateKey

    init(name: String, uuid: DeviceUUID, key: PrivateKey, chain: DeviceChain) {
        self.name = name
        self.uuid = uuid.text
        self.idHex = uuid.hexText
        self.deviceCertificate = chain.device
        self.intermediates = [chain.intermediate]
        self.rootFingerprint = chain.rootFingerprint
        self.key = key
    }

    /// Answers a sender's challenge (PROTOCOL notes 2.5). Takes about a third of a millisecond.
    ///
    /// - Parameters:
    ///   - nonce: The challenge's nonce; empty when it has none.
    ///   - leaf: The DER of the TLS certificate that this very connection was opened with.
    ///   - hash: The digest that the challenge asks for.
    /// - Returns: The RSASSA-PKCS1-v1_5 signature over the nonce followed by the leaf.
    /// - Throws: ``IdentityError/cryptographyFailed(action:reason:)``.
    public func sign(nonce: [UInt8], leaf: [UInt8], hash: HashAlgorithm) throws(IdentityError) -> [UInt8] {
        try self.key.signature(over: nonce + leaf, hash: hash)
    }
}
