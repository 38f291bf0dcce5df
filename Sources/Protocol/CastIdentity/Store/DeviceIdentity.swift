/// The identity of a virtual device towards senders: its UUID, its key and the certificates that vouch for it.
///
/// An ``IdentityStore`` makes it once and gives the same one ever after.
package struct DeviceIdentity: Sendable, Equatable {
    package let name: String

    /// The device's UUID, lower case with dashes.
    package let uuid: String

    /// The 32 lower-case hexadecimal digits of ``uuid``; the form of `id` in a device's TXT record.
    package let idHex: String

    /// The device certificate as DER, `client_auth_certificate` of an authentication response.
    package let deviceCertificate: [UInt8]

    /// The certificates between device and root as DER, nearest to the device first.
    package let intermediates: [[UInt8]]

    /// SHA-256 of the root certificate's DER in lower-case hexadecimal digits.
    package let rootFingerprint: String

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
    package func sign(nonce: [UInt8], leaf: [UInt8], hash: HashAlgorithm) throws(IdentityError) -> [UInt8] {
        try self.key.signature(over: nonce + leaf, hash: hash)
    }
}

/// The version 4 UUID that names a virtual device for its whole life (RFC 9562, section 5.4).
struct DeviceUUID: Equatable, Sendable {
    /// Lower case with dashes, 36 characters.
    let text: String

    /// The 32 lower-case hexadecimal digits alone.
    var hexText: String {
        self.text.filter { $0 != "-" }
    }

    static func random() throws(IdentityError) -> DeviceUUID {
        var bytes = try RandomBytes.make(16)
        bytes[6] = (bytes[6] & 0x0F) | 0x40
        bytes[8] = (bytes[8] & 0x3F) | 0x80
        let hex = bytes.hexText.utf8
        var groups: [String] = []
        var rest = hex[...]
        for length in [8, 4, 4, 4, 12] {
            groups.append(String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length)
        }
        return DeviceUUID(text: groups.joined(separator: "-"))
    }

    private init(text: String) {
        self.text = text
    }

    /// Reads the stored form, or `nil` when `text` is not 36 lower-case characters of a UUID.
    init?(_ text: String) {
        let dashes = [8, 13, 18, 23]
        guard text.utf8.count == 36 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            if dashes.contains(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard Array("0123456789abcdef".utf8).contains(byte) else { return nil }
            }
        }
        self.text = text
    }
}
