import CastWire
import GatewayConfig
import Logging
import NIOCore
import Testing

@testable import GatewayApp

@Suite struct LogRedactionTests {
    let recorder = LineRecorder()

    @Test(arguments: ["password", "Token", "access_token", "credentials", "atvCredentials", "private_key", "pin"])
    func secretsInMetadataAreHidden(name: String) {
        let logger = self.recorder.logger("Gateway", LogConfiguration(redact: ["pin"]))
        logger.info("Asked", metadata: ["\(name)": "s3cret", "user": "ada"])
        let line = self.recorder.lines.joined()
        #expect(!line.contains("s3cret"))
        #expect(line.contains(#""\#(name)":"«redacted»""#))
        #expect(line.contains(#""user":"ada""#))
    }

    @Test func nestedMetadataIsHidden() {
        let logger = self.recorder.logger("Gateway", LogConfiguration(redact: ["viewer.name"]))
        logger.info("Asked", metadata: ["load": ["viewer": ["name": "ada", "seat": "7"]], "name": "hall"])
        #expect(
            self.recorder.lines.first?.contains(
                #""load":{"viewer":{"name":"«redacted»","seat":"7"}},"name":"hall""#) == true)
    }

    @Test func bodiesAreNotPrintedUnlessAskedFor() {
        #expect(PayloadLog(LogConfiguration()).text(of: .text(#"{"type":"PLAY"}"#)) == nil)
    }

    @Test(arguments: [
        (
            #"{"type":"LOAD","media":{"customData":{"token":"s3cret","id":4}},"credentials":"s3cret"}"#,
            #"{"type":"LOAD","media":{"customData":{"token":"«redacted»","id":4}},"credentials":"«redacted»"}"#
        ),
        (
            #"{"items":[{"customData":{"seat":"s3cret"}},{"seat":1}],"credentialsType":"web"}"#,
            #"{"items":[{"customData":{"seat":"«redacted»"}},{"seat":1}],"credentialsType":"web"}"#
        ),
        ("not\u{1B} json", #""not\u001b json""#),
    ])
    func bodiesAreRedacted(body: String, expected: String) {
        let log = PayloadLog(LogConfiguration(payloads: true, redact: ["credentials", "customdata.SEAT"]))
        #expect(log.text(of: .text(body)) == expected)
    }

    @Test func longAndBinaryBodiesAreShort() {
        let log = PayloadLog(LogConfiguration(payloads: true))
        let long = log.text(of: .text("[\"" + String(repeating: "a", count: 5000) + "\"]"))
        #expect(long?.hasSuffix("a… (5004 bytes)") == true)
        #expect((long?.count ?? 0) < PayloadLog.shownLength + 20)
        #expect(log.text(of: .binary(ByteBuffer(bytes: [1, 2, 3]))) == "3 bytes")
    }
}
