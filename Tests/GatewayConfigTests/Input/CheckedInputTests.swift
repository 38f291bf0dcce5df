import CastWire
import GatewayConfig
import Testing

/// Inputs of programs are checked as files are, and are JSON nevertheless.
@Suite struct CheckedInputTests {
    private struct Volume: ConfigSettings {
        var level = 0.5
        var muted: Bool?

        static let keys: [Key] = [
            Key("level", \.level, .number(0...1), "How loud"), .optional("muted", \.muted, .boolean, "Whether silent"),
        ]

        init() {}
    }

    private struct Load: ConfigObject {
        var app = ""
        var tracks: [Int] = []
        var volume = Volume()
        var data: JSONValue?
        var mode = Mode.fast
        var pause = Duration.seconds(5)

        enum Mode: String, Sendable, CaseIterable { case fast, slow }

        static let keys: [Key] = [
            Key("mode", \.mode, .word, "How"), Key("pause", \.pause, .duration(), "How long"),
            .required("app", \.app, .appID, "The app"),
            Key("tracks", \.tracks, .list(of: .integer(1...9)), "The tracks"),
            Key("volume", \.volume, .object, "How loud"),
            .optional("data", \.data, .json, "Whatever the app wants"),
        ]

        init(blank: ConfigBlank) {}

        static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
            if section.string("app") == "FFFFFFFF" {
                problems.add(.notAllowed, at: section.location("app"), "'app' must be another one")
            }
        }
    }

    private func faults(_ text: String) throws -> [CheckedInput.Fault] {
        CheckedInput(try #require(try JSONReader.read(text).objectValue), as: Load.self).faults
    }

    @Test func whatIsRightIsRead() throws {
        let json: JSONObject = [
            "app": "CC1AD845", "tracks": [1, 2], "volume": ["level": 1, "muted": true], "data": ["x-y": [nil, 1.50]],
        ]
        let input = CheckedInput(json, as: Load.self)
        #expect(input.faults == [])
        let load = Load(reading: input.section)
        #expect(load.app == "CC1AD845" && load.tracks == [1, 2] && load.volume.level == 1 && load.volume.muted == true)
        #expect(load.data == ["x-y": [nil, 1.50]])
        let least = CheckedInput(["app": "CC1AD845"], as: Load.self)
        #expect(least.faults == [] && Load(reading: least.section).volume == Volume())
        #expect(Load(reading: least.section).pause == .seconds(5))
        #expect(try self.faults(#"{"app":"CC1AD845","tracks":[1.0,2e0],"mode":"slow"}"#) == [])
    }

    @Test(arguments: [
        (#"{}"#, "", ConfigProblem.Code.missingKey), (#"{"app":5}"#, "/app", .wrongType),
        (#"{"app":null}"#, "/app", .noValue), (#"{"app":"cc1ad845"}"#, "/app", .malformedValue),
        (#"{"app":"CC1AD845","tracks":[1,"2"]}"#, "/tracks/1", .wrongType),
        (#"{"app":"CC1AD845","tracks":[1.5]}"#, "/tracks/0", .wrongType),
        (#"{"app":"CC1AD845","tracks":{}}"#, "/tracks", .wrongType),
        (#"{"app":"CC1AD845","volume":{"level":1.01}}"#, "/volume/level", .outOfRange),
        (#"{"app":"CC1AD845","volume":{"level":"1"}}"#, "/volume/level", .wrongType),
        (#"{"app":"CC1AD845","volume":{"muted":"true"}}"#, "/volume/muted", .wrongType),
        (#"{"app":"CC1AD845","volume":{"mute":true}}"#, "/volume/mute", .unknownKey),
        (#"{"app":"CC1AD845","a/b~c":1}"#, "/a~1b~0c", .unknownKey),
        (#"{"app":"CC1AD845","x-note":1}"#, "/x-note", .unknownKey),
        (#"{"app":"FFFFFFFF"}"#, "/app", .notAllowed),
    ])
    func whatIsWrongIsNamedByItsPointer(text: String, pointer: String, code: ConfigProblem.Code) throws {
        let faults = try self.faults(text)
        #expect(faults.map(\.pointer) == [pointer])
        #expect(faults.map(\.code) == [code], "\(faults)")
    }

    @Test(arguments: [
        "1e400", "-0", "1.0", "123456789012345678901234567890", "\"1\"", "\"~\"", "null", "[1,{\"a\":-0.0}]",
    ])
    func anythingIsGivenBackAsItWas(_ text: String) throws {
        let data = try JSONReader.read(text)
        let input = CheckedInput(["app": "CC1AD845", "data": data], as: Load.self)
        #expect(input.faults == [])
        // Null is the same as a key that is not there.
        #expect((Load(reading: input.section).data ?? .null).text == data.text)
    }

    @Test func everyFaultIsThere() throws {
        let faults = try self.faults(#"{"app":1,"tracks":[0,99],"volume":{"level":-1,"loud":1}}"#)
        #expect(Set(faults.map(\.pointer)) == ["/app", "/tracks/0", "/tracks/1", "/volume/level", "/volume/loud"])
    }
}
