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

    /// Nothing of one input is left for the next.
    @Test func manyInputsAreCheckedAgainstOneSchema() throws {
        let check = InputCheck(of: Load.self)
        #expect(CheckedInput(["app": "CC1AD845", "mode": "slow"], by: check).faults == [])
        #expect(CheckedInput([:], by: check).faults.map(\.code) == [.missingKey])
        let read = CheckedInput(["app": "CC1AD845"], by: check)
        #expect(read.faults == [] && Load(reading: read.section).mode == .fast)
        #expect(CheckedInput(["app": "FFFFFFFF"], by: check).faults.map(\.pointer) == ["/app"])
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

    /// Names that stand twice each.
    private static func pairs(_ count: Int) -> [(String, JSONValue)] {
        (0..<count).flatMap { [("k\($0)", JSONValue.bool(true)), ("k\($0)", JSONValue.bool(true))] }
    }

    /// Whatever is sent, what is kept and answered of it has an end.
    @Test func longInputsAreToldInShort() throws {
        func input(_ members: [(String, JSONValue)]) -> CheckedInput {
            CheckedInput(JSONObject([("app", "CC1AD845")] + members), as: Load.self)
        }
        let wrong = input([("tracks", .array(Array(repeating: 10, count: 3000)))])
        #expect(wrong.faults.count == 100 && wrong.moreFaults == 2900)
        #expect(wrong.faults.last?.pointer == "/tracks/99")
        let long = input([("tracks", .array(Array(repeating: 1, count: 30_000)))])
        #expect(long.faults.map(\.code) == [.tooManyNodes] && long.moreFaults == 0)
        #expect(long.faults.first?.message == "the input has more than 20000 values")
        let unknown = input((0..<3000).map { ("k\($0)", 1) })
        #expect(unknown.faults.count == 100 && unknown.moreFaults == 2900)
        let twice = input((0..<30_000).map { _ in ("", 1) })
        #expect(twice.faults.map(\.code) == [.duplicateKey, .tooManyNodes])
        let pairs = input(Self.pairs(1000))
        #expect(pairs.faults.count == 100 && pairs.moreFaults == 1900)
        // What is taken as it is counts as one value, and a wrong one as none of its parts.
        let many = JSONValue.array(Array(repeating: [1], count: 30_000))
        #expect(input([("data", many)]).faults == [])
        #expect(input([("app2", many), ("volume", many)]).faults.count == 2)
    }

    @Test func pointersOfLongNamesAreCut() throws {
        let name = String(repeating: "n", count: 1 << 20)
        let pairs = JSONValue.object(JSONObject(Self.pairs(300)))
        let input = CheckedInput(["app": "CC1AD845", "data": .object(JSONObject([(name, pairs)]))], as: Load.self)
        #expect(input.faults.count == 100 && input.moreFaults == 200)
        #expect(input.faults.allSatisfy { $0.pointer.utf8.count < 600 && $0.pointer.hasPrefix("/data/nnn") })
    }
}
