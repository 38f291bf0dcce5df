import CastWire
import NIOPosix
import PluginHosting
import PluginKit
import Testing

@testable import PluginTesting

/// Transcripts: what they may say, and what is found when a plugin does otherwise.
@Suite(.timeLimit(.minutes(3))) struct TranscriptTests {
    static let program: SubjectProgram = {
        let claim = PluginClaim(match: "urn:x-cast:com.example.stage", phase: .handle)
        let asked = PluginClaim(match: "urn:x-cast:a", phase: .observe)
        let manifest = PluginManifest(id: "stage", version: "1.0.0") {
            $0.command = ["stage.py"]
            $0.claims = [claim, asked]
            $0.needs.send = .any
            $0.needs.events = ["stage.*"]
            $0.needs.storage = 64
        }
        return SubjectProgram(
            PluginInstance(name: "stage", plugin: "stage", folder: BuiltFiles.fixtures + "/stage", manifest: manifest))
    }()

    private func play(_ lines: String...) async throws -> TranscriptReport {
        let transcript = try Transcript(lines.joined(separator: "\n") + "\n")
        return try await NIOThreadPool.singleton.runIfActive {
            try TranscriptPlayer(transcript, Self.program).play()
        }
    }

    private static func message(_ type: String, _ more: String = "") -> String {
        #"{"in":{"handle":{"payload":{"type":"\#(type)"\#(more)}}}}"#
    }

    @Test func whatIsSaidHasToStandThere() async throws {
        let report = try await self.play(
            Self.message("ECHO", #","n":1.0"#),
            #"{"out":{"result":{"payload":{"n":1,"type":"ECHO"},"disposition":"reply"}}}"#)
        #expect(report.findings.isEmpty, "\(report.findings)")
    }

    @Test func whatIsDifferentIsFoundAndCanBeUpdated() async throws {
        let report = try await self.play(
            "# A remark stays.", Self.message("ECHO"), #"{"out":{"result":{"disposition":"pass"}}}"#, "",
            Self.message("ECHO", #","n":2"#))
        #expect(report.findings.map(\.line) == [3, 5])
        #expect(report.findings[0].text.contains(#"expected {"result":{"disposition":"pass"}}"#))
        #expect(report.findings[1].text.contains("says more than stands here"))
        #expect(
            report.updated == """
                # A remark stays.
                {"in":{"handle":{"payload":{"type":"ECHO"}}}}
                {"out":{"result":{"disposition":"reply","payload":{"type":"ECHO"}}}}

                {"in":{"handle":{"payload":{"type":"ECHO","n":2}}}}
                {"out":{"result":{"disposition":"reply","payload":{"type":"ECHO","n":2}}}}

                """)
        let again = try await NIOThreadPool.singleton.runIfActive {
            try TranscriptPlayer(try Transcript(report.updated), Self.program).play()
        }
        #expect(again.findings.isEmpty)
    }

    @Test func whatIsNotSaidIsFound() async throws {
        let report = try await self.play(
            Self.message("ECHO"), #"{"out":{"result":"<any>"}}"#, #"{"out":{"method":"gateway.emit","params":{}}}"#)
        #expect(report.findings.map(\.line) == [3])
        #expect(report.findings[0].text == "the plugin does not say it")
    }

    @Test func timeMovesByItself() async throws {
        let report = try await self.play(
            #"{"plugin":{"now":"2026-01-01T00:00:00Z"}}"#, Self.message("LATER"),
            #"{"out":{"result":{"disposition":"defer","maxMs":10000}}}"#, #"{"advance":"2999ms"}"#,
            #"{"advance":"1ms"}"#,
            #"{"out":{"method":"message.complete","params":{"messageId":"m-1","disposition":"reply","payload":{"now":1767225603000}}}}"#
        )
        #expect(report.findings.isEmpty, "\(report.findings)")
    }

    @Test func theGatewaysAnswersArePartOfIt() async throws {
        let report = try await self.play(
            Self.message("ASK"), #"{"out":{"method":"gateway.send","params":"<any>"}}"#,
            #"{"in":{"result":{"payload":"{\"type\":\"BLUE\"}"}}}"#,
            #"{"out":{"result":{"disposition":"reply","payload":{"answer":{"type":"BLUE"}}}}}"#, Self.message("ASK"),
            #"{"out":{"method":"gateway.send","params":"<any>"}}"#,
            #"{"out":{"result":{"disposition":"reply","payload":{"answer":null}}}}"#)
        #expect(report.findings.isEmpty, "\(report.findings)")
    }

    /// What the gateway would refuse a plugin is no success here either.
    @Test func whatIsNotGrantedIsFound() async throws {
        func play(grant: String, _ lines: String...) async throws -> [String] {
            let whole = [#"{"plugin":{"grant":\#(grant)}}"#] + lines
            let transcript = try Transcript(whole.joined(separator: "\n") + "\n")
            return try await NIOThreadPool.singleton.runIfActive {
                try TranscriptPlayer(transcript, Self.program).play().findings.map(\.description)
            }
        }
        let asked = #"{"out":{"method":"gateway.send","params":"<any>"}}"#
        let said = #"{"out":{"result":{"disposition":"reply","payload":{"answer":null}}}}"#
        let failed = #"{"out":{"error":"<any>"}}"#
        let claims = #""namespaces":[{"match":"urn:x-cast:com.example.stage","phase":"handle"}"#
        let observed = #"{"match":"urn:x-cast:a","phase":"observe"}"#
        #expect(
            try await play(
                grant: "{\(claims),\(observed)],\"send\":\"any\"}",
                Self.message("ASK"), asked, said) == [])
        #expect(
            try await play(grant: "{\(claims),\(observed)]}", Self.message("ASK"), asked, failed)
                == ["line 2: the gateway would refuse this: not granted: to send (grant.send)"])
        #expect(
            try await play(grant: "{\(claims)],\"send\":\"any\"}", Self.message("ASK"), asked, failed)
                == ["line 2: the gateway would refuse this: not granted: the namespace 'urn:x-cast:a'"])
        // The device of which it was given messages is another.
        #expect(
            try await play(grant: "{\(claims),\(observed)],\"send\":\"device\"}", Self.message("ASK"), asked, failed)
                == [
                    "line 2: the gateway would refuse this: not granted: to send to 'hall', of which it was given no message"
                ])
        // A transcript may say that it is refused, and cannot say that it is done.
        let refused = #"{"in":{"error":{"code":-32001,"message":"not granted"}}}"#
        #expect(try await play(grant: "{\(claims)]}", Self.message("ASK"), asked, refused, failed) == [])
        #expect(
            try await play(grant: "{\(claims)]}", Self.message("ASK"), asked, #"{"in":{"result":{}}}"#, said)
                == ["line 4: the gateway would refuse this: not granted: to send (grant.send)"])
        let counted = #"{"out":{"result":"<any>"}}"#
        #expect(
            try await play(grant: "{\(claims)],\"storage\":64}", Self.message("COUNT"), counted, #"{"kv":{"count":1}}"#)
                == [])
        // The value was stored in vain: asking for the last one is refused first.
        #expect(
            try await play(grant: "{\(claims)]}", Self.message("COUNT"), failed, #"{"kv":{}}"#)
                == ["line 2: the gateway would refuse this: not granted: a store (grant.storage)"])
        let emitted = #"{"out":{"result":{"disposition":"handled","effects":"<any>"}}}"#
        #expect(
            try await play(grant: "{\(claims)],\"events\":[\"other.*\"]}", Self.message("EMIT"), emitted)
                == ["line 2: the gateway would refuse this: not granted: the event 'stage.seen'"])
        #expect(
            try await play(grant: #"{"send":"everybody"}"#, Self.message("ECHO"), counted).first?
                .hasPrefix("line 1: the grant cannot be read: grant.send") == true)
    }

    @Test func theStoreOutlivesARestart() async throws {
        let report = try await self.play(
            #"{"plugin":{"kv":{"count":4}}}"#, Self.message("COUNT"), #"{"out":{"result":"<any>"}}"#,
            #"{"restart":true}"#,
            Self.message("COUNT"),
            #"{"out":{"result":{"disposition":"reply","payload":{"count":6},"effects":[{"do":"kv.put","key":"count","value":6}]}}}"#,
            #"{"kv":{"count":6}}"#)
        #expect(report.findings.isEmpty, "\(report.findings)")
        let wrong = try await self.play(Self.message("COUNT"), #"{"out":{"result":"<any>"}}"#, #"{"kv":{"count":7}}"#)
        #expect(wrong.findings.map(\.line) == [3])
        #expect(wrong.updated.hasSuffix("{\"kv\":{\"count\":1}}\n"))
    }

    @Test func filesAreCompared() async throws {
        let report = try await self.play(
            Self.message("WRITE"), #"{"out":{"result":"<any>"}}"#, #"{"file":"notes.txt","lines":["plain",{"a":1}]}"#,
            #"{"file":"none.txt","lines":[]}"#)
        #expect(report.findings.map(\.text) == ["there is no file none.txt in the state directory"])
    }

    @Test func aPluginThatDiesIsFound() async throws {
        let report = try await self.play(
            Self.message("DIE"), #"{"out":{"result":{"disposition":"pass"}}}"#, Self.message("ECHO"))
        let found = report.findings.map(\.description)
        #expect(found == ["line 1: the plugin exited with status 9", "line 2: the plugin does not say it"])
    }

    @Test func linesOfNoMeaningAreNamed() {
        let faults: [(String, Int, String)] = [
            ("{", 1, "the text ends"), ("[]", 1, "a line is a JSON object"),
            ("\n{\"on\":1}", 2, "a line is one of plugin, in, out"),
            (#"{"in":{},"out":{}}"#, 1, "out does not belong beside in"),
            (#"{"advance":"soon"}"#, 1, "a duration such as"),
            (#"{"advance":"-1s"}"#, 1, "a duration such as"), (#"{"restart":false}"#, 1, "restart is true"),
            ("{\"kv\":{}}\n{\"plugin\":{}}", 2, "plugin stands in the first line"),
            (#"{"file":"../x","lines":[]}"#, 1, "within the state directory"),
            (#"{"file":"x"}"#, 1, "its lines as an array"),
        ]
        for (text, line, words) in faults {
            let error = #expect(throws: TranscriptError.self) { try Transcript(text) }
            #expect(error?.line == line, "\(text)")
            #expect(error?.reason.contains(words) ?? false, "\(text): \(error?.reason ?? "")")
        }
    }

    @Test(arguments: [
        (#"{"a":1,"b":[true]}"#, #"{"b":[true],"a":1.0}"#, true), (#"{"a":1}"#, #"{"a":1,"b":2}"#, false),
        (#"{"payload":{"x":1}}"#, #"{"payload":"{\"x\": 1}"}"#, true),
        (#"{"payload":"{\"x\":1,\"y\":2}"}"#, #"{"payload":"{\"y\":2,\"x\":1}"}"#, true),
        (#"{"text":"{\"x\":1}"}"#, #"{"text":{"x":1}}"#, false), (#"["<any>"]"#, #"[{"x":1}]"#, true),
        ("[1,2]", "[2,1]", false),
        (#"{"a":null}"#, "{}", false), (#"{"payload":"x"}"#, #"{"payload":"y"}"#, false),
    ]) func valuesAreComparedAsJSON(_ expected: String, _ said: String, _ isEqual: Bool) throws {
        #expect(try JSONReader.read(expected).matches(JSONReader.read(said)) == isEqual)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-01-01T00:00:00Z", 1_767_225_600_000),
        ("2000-02-29T23:59:59.250Z", 951_868_799_250),
        ("2100-03-01T00:00:00Z", 4_107_542_400_000),
    ]) func instantsAreUnixTime(_ text: String, _ milliseconds: Int) {
        #expect(UnixTime.milliseconds(text) == milliseconds)
        #expect(UnixTime.milliseconds("2026-13-01T00:00:00Z") == nil)
    }
}
