import CastWire
import GatewayConfig
import Testing

/// Every kind of value, good and bad.
struct ScalarReadingTests {
    @Test func everyKindIsTyped() {
        let document = ConfigTestSchema.load(
            """
            text: 007
            name: a-1
            word: green
            flag: true
            count: 0x10
            ratio: 2.5e-1
            time: 250ms
            memory: 3MiB
            listen: "[::]:0"
            dial: broker.lan
            ranges: [10.0.0.0/8, "::1"]
            namespace: urn:x-cast:com.example.quiz
            pattern: urn:x-cast:com.example.*
            app: 12345678
            glob: "*"
            path: ./a b
            id: 0F5096E8-0000-4000-8000-00000000ABCD
            password: hunter2
            config: {a: [1, 2.5, true, null, yes, "3"]}
            either: 4
            map: {b: 2, a: 1}
            """
        )
        #expect(document.report().text() == "")
        let root = document.root
        #expect(root.string("text") == "007")
        #expect(root.string("name") == "a-1")
        #expect(root.string("word") == "green")
        #expect(root.boolean("flag"))
        #expect(root.integer("count") == 16)
        #expect(root.number("ratio") == 0.25)
        #expect(root.duration("time") == .milliseconds(250))
        #expect(root.size("memory") == 3 << 20)
        #expect(root.listenAddress("listen") == ListenAddress(host: "::", port: 0))
        #expect(root.dialAddress("dial") == DialAddress(host: "broker.lan", port: 1883))
        #expect(root.list("ranges").compactMap(\.addressRange).map(\.description) == ["10.0.0.0/8", "::1/128"])
        #expect(root.string("namespace") == "urn:x-cast:com.example.quiz")
        #expect(root.string("pattern") == "urn:x-cast:com.example.*")
        #expect(root.string("app") == "12345678")
        #expect(root.string("glob") == "*")
        #expect(root.string("path") == "./a b")
        #expect(root.string("id") == "0f5096e8-0000-4000-8000-00000000abcd")
        #expect(root.secret("password").reveal() == "hunter2")
        #expect(root.json("config").text == #"{"a":[1,2.5,true,null,"yes","3"]}"#)
        #expect(root.value("either").map { "\($0.content)" } == "integer(4)")
        #expect(root.map("map").map(\.key) == ["b", "a"])
    }

    @Test func defaultsFillIn() {
        let root = ConfigTestSchema.load("things: [{name: x}]").root
        #expect(root.string("word") == "red")
        #expect(root.integer("count") == 7)
        #expect(root.duration("time") == .seconds(5))
        #expect(root.size("memory") == 65_536)
        #expect(root.optionalString("text") == nil)
        #expect(root.optionalListenAddress("listen") == nil)
        #expect(root.origin("word") == .default)
        #expect(root.sections("things").first?.string("label") == "x")
        #expect(root.sections("things").first?.integer("value") == 1)
    }

    @Test(arguments: [
        ("text: ''", ConfigProblem.Code.outOfRange), ("text: more than ten", .outOfRange),
        (#"text: "a\tb""#, .malformedValue), ("name: A", .malformedValue), ("word: blue", .notAllowed),
        ("flag: 'true'", .booleanWord), ("flag: on", .booleanWord), ("flag: 1", .wrongType),
        ("count: 1.0", .wrongType), ("count: 1e3", .wrongType), ("count: +1", .wrongType), ("count: 1_000", .wrongType),
        ("count: -6", .outOfRange), ("count: 010", .leadingZero), ("count: -01", .leadingZero),
        ("count: 99999999999999999999999", .outOfRange), ("count: 0xFFFFFFFFFFFFFFFFFFF", .wrongType),
        ("ratio: .5", .wrongType), ("ratio: .inf", .wrongType), ("ratio: 1.", .wrongType), ("ratio: 1e", .wrongType),
        ("ratio: 01.5", .wrongType), ("ratio: '0.5'", .wrongType), ("ratio: 1e400", .wrongType),
        ("time: 5", .missingUnit), ("time: 5w", .malformedValue), ("time: s", .malformedValue),
        ("time: 10000h", .outOfRange), ("time: 9223372036854775807h", .outOfRange),
        ("memory: 64", .missingUnit), ("memory: 64KB", .malformedValue), ("memory: 1B", .outOfRange),
        ("memory: 9223372036854775807GiB", .outOfRange), ("memory: big", .malformedValue),
        ("listen: host", .malformedValue), ("listen: a.b:-1", .malformedValue), ("listen: a.b:65536", .outOfRange),
        ("dial: host:0", .outOfRange), ("dial: a..b", .malformedValue), ("dial: 'a b'", .malformedValue),
        ("ranges: [10.0.0.1/8]", .malformedValue), ("ranges: 10.0.0.0/8", .wrongType),
        ("namespace: urn:x-cast:a.*", .malformedValue), ("pattern: urn:x-cast:*", .malformedValue),
        ("app: abcdef12", .malformedValue), ("app: a b", .malformedValue), ("id: 0F5096E8", .malformedValue),
        ("either: manual", .notAllowed), ("either: {}", .wrongType), ("either: ~", .noValue),
        ("things: [{name: a, value: 12}]", .outOfRange), ("things: [{}]", .missingKey), ("map: {a: x}", .wrongType),
        ("time: ~", .noValue), ("things:", .noValue), ("time: [5s]", .wrongType), ("map: [a]", .wrongType),
    ])
    func badValuesHaveTheirCode(_ text: String, _ code: ConfigProblem.Code) {
        #expect(ConfigTestSchema.codes(text) == [code])
    }

    @Test func invalidValuesReadAsNothing() {
        let root = ConfigTestSchema.load("count: x\ntime: x\nlisten: x\nthings: [{name: [a]}]").root
        #expect(!root.isValid("count") && root.integer("count") == 0)
        #expect(root.duration("time") == .zero)
        #expect(root.listenAddress("listen").port == 0)
        #expect(root.sections("things").first?.isValid("name") == false)
        #expect(root.section("nothing").string("x") == "")
        #expect(!root.isWritten("count") && !root.isWritten("word"))
    }

    @Test(arguments: [
        (Duration.zero, "0s"), (.milliseconds(1), "1ms"), (.milliseconds(1500), "1500ms"), (.seconds(59), "59s"),
        (.seconds(60), "1m"), (.seconds(90), "90s"), (.seconds(7200), "2h"),
    ])
    func durationsArePrintedInTheLargestWholeUnit(_ duration: Duration, _ text: String) {
        #expect(duration.configText == text)
    }
}
