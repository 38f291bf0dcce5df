import CCrypto
import NIOCore

/// Signs requests by Standard Webhooks 1.0, scheme `v1`: the HMAC-SHA256 of `ID.TIMESTAMP.BODY` over the bytes as they are sent.
struct WebhookSignature: Sendable {
    /// The signing secrets, one signature each: two while a back end changes from one secret to another.
    let secrets: [WebhookSecret]

    /// The value of the header `webhook-signature`: `v1,BASE64` for each secret, with spaces between them; nil when libcrypto fails.
    /// - Parameters:
    ///   - id: the value of `webhook-id`; has no point.
    ///   - timestamp: the value of `webhook-timestamp`, in seconds since 1970.
    func header(id: String, timestamp: Int64, body: ByteBuffer) -> String? {
        var text = Array("\(id).\(timestamp).".utf8)
        text.append(contentsOf: body.readableBytesView)
        var signatures: [String] = []
        for secret in self.secrets {
            guard let mac = Self.mac(of: text, key: secret.key) else { return nil }
            signatures.append("v1,\(Self.base64(mac))")
        }
        return signatures.joined(separator: " ")
    }

    private static func mac(of text: [UInt8], key: [UInt8]) -> [UInt8]? {
        var mac = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let isMade = HMAC(EVP_sha256(), key, Int32(key.count), text, text.count, &mac, &count) != nil
        return isMade && count == 32 ? mac : nil
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        // EVP_EncodeBlock writes a zero byte behind the text.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}
