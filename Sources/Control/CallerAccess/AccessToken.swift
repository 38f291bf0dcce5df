import CastIdentity
import ControlAPI
import GatewayOperations

/// A token as the gateway knows it: what its holder may do, and the hash by which it is recognised.
struct AccessToken: Sendable, Hashable {
    /// By which it is revoked: `t-` and digits for one that a caller made, `config:NAME` for one of the file.
    let id: String
    /// What its holder is called.
    let name: String
    /// SHA-256 of the token; the token itself is known to its holder alone.
    let digest: [UInt8]
    /// What its holder may do.
    let scopes: Set<OperationScope>
    /// The devices that its holder may see and use; nil for all.
    let devices: [DevicePattern]?
    /// When it was made; nil for one of the file.
    let created: UTCTime?
    /// When it ends; nil for never.
    let expires: UTCTime?

    /// Whether the file has it.
    var isConfigured: Bool { self.created == nil }

    /// Its holder.
    var caller: Caller {
        Caller(
            name: self.name, scopes: self.scopes, devices: self.devices, token: self.id,
            generation: self.digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Whether its time is over.
    func isOver(at now: UTCTime) -> Bool { self.expires.map { $0 <= now } ?? false }
}

/// The text of a token and its hash.
enum TokenText {
    /// Random bytes of a token.
    private static let length = 32
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// A new token: `cwt_` and 256 random bits.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let count = (Self.length * 8 + 5) / 6
        // Each character has six random bits, so that 43 of them have 258.
        let characters = (0..<count).map { _ in Self.alphabet[Int(generator.next() & 63)] }
        return APIToken.prefix + String(decoding: characters, as: UTF8.self)
    }

    /// A new id: `t-` and ten random digits.
    static func makeID() -> String {
        var generator = SystemRandomNumberGenerator()
        return "t-" + String((0..<10).map { _ in Array("abcdefghjkmnpqrstuvwxyz23456789")[Int(generator.next() % 31)] })
    }

    /// The hash by which a token is recognised. Tokens are random and long, so that no slow hash is needed.
    static func digest(_ token: String) -> [UInt8] {
        // libcrypto has no reason to fail; an empty digest is no token's.
        (try? HashAlgorithm.sha256.digest(of: Array(token.utf8))) ?? []
    }

    /// The digest that a configuration writes in hexadecimal digits; empty for anything else.
    static func digest(hexadecimal text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count == 64 else { return [] }
        return stride(from: 0, to: 64, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    }
}
