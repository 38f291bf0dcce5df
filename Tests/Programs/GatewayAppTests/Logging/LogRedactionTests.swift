import CastWire
import GatewayConfig
import Logging
import NIOCore
import Testing

@testable import GatewayLogging

@Suite struct LogRedactionTests {
    let recorder = LineRecorder()

    @Test(arguments: ["password", "Token", "access_token", "credentials", "atvCredentials", "private_key", "pin"])
    func secretsInMetadataAreHidden(name: String) {
        let logger = self.recorder.logger("Gateway", LogConfiguration { $0.redact = ["pin"] })
        logger.info("Asked", metadata: ["\(name)": "s3cret", "user": "ada"])
        let line = self.recorder.lines.joined()
        #expect(!line.contains("s3cret"))
        #expect(line.contains(#""\#(name)":"«redacted»""#))
        #expect(line.contains(#""user":"ada""#))
    }

    @Test func nestedMetadataIsHidden() {
        let logger = self.recorder.logger("Gateway", LogConfiguration { $0.redact = ["viewer.name"] })
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
        (#""\u001b""#, #""\u001b""#),
    ])
    func bodiesAreRedacted(body: String, expected: String) {
        let log = PayloadLog(
            LogConfiguration {
                $0.payloads = true
                $0.redact = ["credentials", "customdata.SEAT"]
            })
        #expect(log.text(of: .text(body)) == expected)
    }

    @Test func longAndBinaryBodiesAreShort() {
        let log = PayloadLog(LogConfiguration { $0.payloads = true })
        let long = log.text(of: .text("[\"" + String(repeating: "a", count: 5000) + "\"]"))
        #expect(long?.hasSuffix("a… (5004 bytes)") == true)
        #expect((long?.count ?? 0) < PayloadLog.shownLength + 20)
        #expect(log.text(of: .binary(ByteBuffer(bytes: [1, 2, 3]))) == "3 bytes")
    }

    private let log = PayloadLog(
        LogConfiguration {
            $0.payloads = true
            $0.redact = ["customData.seat"]
        })

    /// What cannot be read may hold anything.
    @Test(arguments: [
        "\u{FEFF}{\"token\":\"s3cret\"}", "\0{\"token\":\"s3cret\"}", "/* */{\"token\":\"s3cret\"}",
        "{\"token\":\"s3cret\"",
        "{\"token\":\"s3cret\"} x", "token=s3cret", "s3cret", "{'token':'s3cret'}",
        String(repeating: "[", count: 129) + "\"s3cret\"" + String(repeating: "]", count: 129),
    ])
    func ofWhatIsNotJSONTheLengthIsShown(body: String) {
        #expect(self.log.text(of: .text(body)) == "\(body.utf8.count) bytes, not JSON")
    }

    @Test(arguments: [
        #"{"x":"{\"token\":\"s3cret\"}"}"#, #"{"x":"\ufeff {\"a\":[{\"password\":\"s3cret\"}]}"}"#,
        #"{"x":"\"{\\\"token\\\":\\\"s3cret\\\"}\""}"#, #"{"x":"go {\"token\":\"s3cret\"}"}"#,
        #"{"x":"{token:'s3cret'}"}"#,
        #"{"x":"{\"token\":\"s3cret"}"#, #"["{\"t\\u006fken\":\"s3cret\"}"]"#,
        #"{"customData":"{\"seat\":\"s3cret\"}"}"#,
        #"{"headers":[{"name":"Authorization","value":"s3cret"}]}"#, #"{"x":"a=1&access_token=s3cret"}"#,
        #"{"x":"Authorization: Bearer s3cret"}"#, #"{"x":"Cookie: s3cret=1; s3cret=2"}"#, #"{"t\u006fken":"s3cret"}"#,
        #"{"token":1,"token":"s3cret"}"#, #"{"x":"https://ada:s3cret@media.example/a"}"#,
        #"{"x":"https://s3cret@media.example:8443/a"}"#, #"{"x":"https:\/\/media.example/a?sig=s3cret&v=s3cret"}"#,
        #"{"x":"see HTTPS://media.example/a#access_token=s3cret now"}"#, #"{"x":"https://media.example/a?s3cret"}"#,
        #"{"x":"https://media.example/a;jsessionid=s3cret?b=s3cret"}"#,
        #"{"x":"rtsp://media.example?u=http://s3cret@b/"}"#,
        #"{"x":"data:text/plain,s3cret"}"#, #"{"x":["https://a.example/?k=s3cret https://b.example/?k=s3cret"]}"#,
    ])
    func secretsAreFoundWhereverTheyStand(body: String) throws {
        let text = try #require(self.log.text(of: .text(body)))
        #expect(!text.contains("s3cret"), "\(text)")
    }

    @Test func jsonWithinJSONIsReadToABoundedDepth() throws {
        var body = #"{"token":"s3cret"}"#
        for _ in 0..<8 { body = JSONValue.object(["x": .string(body)]).text }
        let text = try #require(self.log.text(of: .text(body)))
        #expect(!text.contains("s3cret"))
        #expect(text.contains("bytes)"))
    }

    /// What is no secret can still be read.
    @Test(arguments: [
        #"{"title":"Tea: a history [part 1]","n":1.50,"u":"https://[2001:db8::1]:8443/a/b.mp4"}"#,
        #"{"u":"https://media.example:443/a","x":"a=b: c"}"#, #"{"x":"{\"id\":4}"}"#, #"["a","","{}"]"#,
    ])
    func theRestIsShown(body: String) {
        #expect(self.log.text(of: .text(body)) == body)
    }

    @Test func namesOfAQueryAreShown() {
        #expect(
            self.log.text(of: .text(#"["https://ada:x@media.example/a.m3u8?sig=1&v=2#t=3"]"#))
                == #"["https://«redacted»@media.example/a.m3u8?sig=«redacted»&v=«redacted»#t=«redacted»"]"#)
    }

    @Test func urlsInFieldsAreRedacted() {
        let logger = self.recorder.logger("CastingLog", LogConfiguration { $0.redact = ["title"] })
        logger.info(
            "Load", metadata: ["content": "https://ada:s3cret@media.example/a?sig=s3cret", "title": "s3cret"])
        let line = self.recorder.lines.joined()
        #expect(!line.contains("s3cret"))
        #expect(line.contains("media.example/a?sig="))
    }

    @Test func redactingTwiceChangesNothing() {
        let once = LogURL.redacted("https://ada:x@media.example/a;p=1?sig=1&b#c and ftp://a:b")
        #expect(LogURL.redacted(once) == once)
    }
}
