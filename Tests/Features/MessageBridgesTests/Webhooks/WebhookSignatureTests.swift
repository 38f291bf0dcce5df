import GatewayConfig
import NIOCore
import Testing

@testable import MessageBridges

@Suite struct WebhookSignatureTests {
    private static let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let body =
        #"{"type":"cast.message.received","timestamp":"2026-01-01T00:00:00.000Z","data":{"namespace":"urn:x-cast:com.example.app","payload":{"type":"HELLO"}}}"#
    private static let signature = "v1,6lsYkHMB0816s7Cujwbc5VqpO90lEHM21Ruz4Ix+3jY="

    private func sign(_ secrets: String, body: String = Self.body) throws -> String? {
        WebhookSignature(secrets: try WebhookSecret.all(in: Secret(secrets))).header(
            id: "msg_01JCASTWAY0000000000000001", timestamp: 1_767_225_600, body: ByteBuffer(string: body))
    }

    @Test func theVectorIsReproduced() throws {
        #expect(try self.sign(Self.secret) == Self.signature)
        #expect(try self.sign(Self.secret, body: Self.body + " ") != Self.signature)
    }

    @Test func theBytesOfTheSliceAreSigned() throws {
        var body = ByteBuffer(string: "xx\(Self.body)")
        body.moveReaderIndex(forwardBy: 2)
        let signature = WebhookSignature(secrets: [try WebhookSecret(Self.secret)])
        #expect(
            signature.header(id: "msg_01JCASTWAY0000000000000001", timestamp: 1_767_225_600, body: body)
                == Self.signature)
    }

    @Test func twoSecretsSignTwice() throws {
        let other = "whsec_\(String(repeating: "QUFB", count: 8))"
        let expected = try self.sign(other)
        let signatures = try #require(try self.sign("\(other)\n\(Self.secret)")).split(separator: " ")
        #expect(signatures.count == 2)
        #expect(signatures.last == Self.signature[...])
        #expect(signatures.first.map(String.init) == expected)
    }

    @Test(arguments: [24, 64])
    func secretsOfThisLengthAreRead(length: Int) throws {
        let text = "whsec_\(Self.base64(length))"
        #expect(try WebhookSecret(text).key == (0..<length).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test(arguments: [
        "", "  ", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "whsec_", "whsec_AAEC",
        "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8==",
        "whsec_====", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd-_8=", "whsec_\(Self.base64(23))",
        "whsec_\(Self.base64(65))", "\(Self.secret) \(Self.secret) \(Self.secret)", "\(Self.secret) x",
    ])
    func anythingElseIsNoSecret(_ text: String) {
        let error = #expect(throws: WebhookSecret.Malformed.self) { try WebhookSecret.all(in: Secret(text)) }
        #expect(!"\(error, default: "")".contains("AAEC"))
    }

    @Test func secretsAreNotShown() throws {
        let secret = try WebhookSecret(Self.secret)
        var text = ""
        dump(secret, to: &text)
        #expect("\(secret)" == Secret.redacted)
        #expect(!text.contains("key"))
    }

    private static func base64(_ length: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: length, by: 3) {
            let group = (0..<3).reduce(0) { $0 << 8 | (start + $1 < length ? start + $1 : 0) }
            for place in 0..<4 {
                text.append(start + place > length ? "=" : alphabet[group >> (18 - 6 * place) & 63])
            }
        }
        return text
    }
}
