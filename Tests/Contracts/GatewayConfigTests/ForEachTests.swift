import CastWire
import GatewayConfig
import Testing

/// Elements that `for_each` makes, and defaults of elements.
struct ForEachTests {
    private static let thing = ConfigSchema.object([
        ConfigField("name", .text(), .required, "Its name"),
        ConfigField("value", .integer(0...999_999), .defaultsTo("1"), "Its value"),
        ConfigField("color", .text(), .optional, "Its color"),
        ConfigField("listen", .listenAddress, .optional, "Where it listens"),
        ConfigField("password", .secret, .optional, "Its secret"),
        ConfigField("parts", .list(of: .text()), .optional, "Its parts"),
        ConfigField(
            "inner",
            .object([
                ConfigField("one", .integer(0...9), .optional, "One"),
                ConfigField("two", .integer(0...9), .optional, "Two"),
            ]), .optional, "Its inside"),
    ])
    private static let schema = ConfigSchema.object([
        ConfigField("defaults", Self.thing.defaults(without: ["name"], of: "things[]"), .optional, "Defaults"),
        ConfigField(
            "things", .list(of: Self.thing, uniqueKey: "name").shortened(.elements(defaults: "defaults")),
            .defaultsTo("[]"), "Things"),
        ConfigField("plain", .list(of: Self.thing), .defaultsTo("[]"), "Things without shorthands"),
        ConfigField(
            "groups", .map(key: .text(), value: .list(of: .text())).shortened(.groups(of: "things")),
            .optional, "Groups"),
        ConfigField("names", .list(of: .text()).shortened(.members(.names)), .optional, "Names"),
        ConfigField(
            "patterns", .oneOf(.text(), .list(of: .text())).shortened(.members(.patterns)), .optional, "Patterns"),
    ])

    private func load(_ text: String, environment: [String: String] = [:]) -> ConfigDocument {
        ConfigDocument.load(
            path: "t", schema: Self.schema, fileSystem: .memory(["t": text]), environment: environment)
    }

    private func things(_ text: String, environment: [String: String] = [:]) -> [ConfigSection] {
        let document = self.load(text, environment: environment)
        #expect(document.report().text() == "")
        return document.root.sections("things")
    }

    private func messages(_ text: String) -> [String] {
        self.load(text).report().problems.map { "\($0.location.line):\($0.location.column) \($0.message)" }
    }

    // MARK: Items

    @Test func eachItemMakesAnElement() {
        let things = self.things("things: [{name: a}, {for_each: [x, y], name: \"b-{item}-{index}\"}, {name: z}]\n")
        #expect(things.map { $0.string("name") } == ["a", "b-x-1", "b-y-2", "z"])
    }

    @Test func itemsMayBeMappings() {
        let things = self.things(
            """
            things:
              - for_each: [{n: 3, color: red, x-note: [1]}, {n: 4, color: "0"}]
                name: room {n}
                color: "{color}"
                value: "{n}"
                listen: 127.0.0.1:{n+ 8000 +index}
                x-note: "{unknown}"
            """)
        #expect(things.map { $0.string("name") } == ["room 3", "room 4"])
        #expect(things.map { $0.string("color") } == ["red", "0"])
        #expect(things.map { $0.integer("value") } == [3, 4])
        #expect(things.map { $0.listenAddress("listen").port } == [8004, 8006])
    }

    @Test func rangesAreItems() {
        let things = self.things(
            "things: [{for_each: {range: [8-10, 21-21]}, name: \"r{item}\", value: \"{item+1}\"}]\n")
        #expect(things.map { $0.string("name") } == ["r8", "r9", "r10", "r21"])
        #expect(things.map { $0.integer("value") } == [9, 10, 11, 22])
        #expect(self.things("things: [{for_each: [], name: \"{none}\"}]\n").isEmpty)
    }

    @Test func bracesMayBePlain() {
        let things = self.things("things: [{for_each: [1], name: \"{{{item}}}\"}, {name: \"{item}\"}]\n")
        #expect(things.map { $0.string("name") } == ["{1}", "{item}"])
    }

    /// A variable brings in text, never a placeholder.
    @Test func variablesAreText() {
        let things = self.things(
            "things: [{for_each: [1], name: \"${A} {item}\", color: \"${B:-{}x}}\"}]\n", environment: ["A": "{item}{{"])
        #expect(things.map { $0.string("name") } == ["{item}{{ 1"])
        #expect(things.first?.string("color") == "{x}")
        let limit = self.things(
            "things: [{for_each: {range: \"1-${N}\"}, name: \"t{item}\"}]\n", environment: ["N": "3"])
        #expect(limit.count == 3)
        // Nor a part of one, and it is not shown.
        let report = self.load(
            "things: [{for_each: [1], name: \"{${R}} {item}\"}]\n", environment: ["R": "s3cret"]
        ).report()
        #expect(report.problems.map(\.code).contains(.badTemplate) && !report.text().contains("s3cret"))
    }

    @Test func problemsNameTheKeyAndTheItem() {
        let text = """
            things:
              - for_each: [{n: 1}, {n: x}, {n: 1}]
                name: t{n}
                value: "{n}"
                color: [red]
            """
        #expect(
            self.messages(text) == [
                "3:11 name 't1' is used twice in 'things' (for item 3 at 2:32)",
                "4:12 'things[].value' must be a whole number, not 'x' (for item 2 at 2:24)",
                "5:12 'things[].color' must be a text, not a list",
            ])
    }

    @Test(arguments: [
        ("[{for_each: 5, name: a}]", "'for_each' must be a list, or a mapping with 'range', not '5'"),
        ("[{for_each: {range: 9-8}, name: a}]", "'range' must be whole numbers such as 1-20, not '9-8'"),
        ("[{for_each: {range: 1-99999}, name: \"{item}\"}]", "'for_each' has more than 10000 items"),
        ("[{for_each: [[1]], name: a}]", "an item of 'for_each' must be a single value or a mapping, not a list"),
        ("[{for_each: [{a: {b: 1}}], name: \"{a}\"}]", "'a' of an item of 'for_each' must be a single value"),
        (
            "[{for_each: [{index: 1, a: 1}], name: \"{a}\"}]",
            "'index' is the number of the item, which cannot be given"
        ),
        ("[{for_each: [{a-b: 1}], name: \"{index}\"}]", "'a-b' cannot be the name of a placeholder"),
        ("[{for_each: [1, 2], name: a}]", "the element uses no item of its 'for_each', so all would be the same"),
        ("[{for_each: [{a: 1, b: 2}], name: \"{a}\"}]", "no placeholder of the element uses 'b'"),
        ("[{for_each: [{aa: 1}, {b: 2}], name: \"{aa}\"}]", "no placeholder of the element uses 'b'"),
        ("[{for_each: [1], name: \"{itme}{item}\"}]", "undefined placeholder 'itme'"),
        ("[{for_each: [1], name: \"{item\"}]", "a '{' without its '}'"),
        ("[{for_each: [1], name: \"{item}}\"}]", "a '}' without its '{'"),
        ("[{for_each: [1], name: \"{item*2}{item}\"}]", "'{item*2}' is no placeholder"),
        (
            "[{for_each: [a], name: \"{item+1}\"}]",
            "'item' is no whole number that can be added to, but 'a' (for item 1 at 1:22)"
        ),
        ("[{for_each: [{for_each: [1]}], name: \"{index}\"}]", "'for_each' cannot stand inside 'for_each'"),
        ("[{name: a, inner: {for_each: [1]}}]", "unknown key 'for_each' in 'things[].inner'"),
    ])
    func mistakesAreNamed(_ list: String, _ message: String) {
        let messages = self.messages("things: \(list)\n")
        #expect(messages.contains { $0.hasSuffix(" " + message) }, "\(messages)")
    }

    @Test func onlyTheListsThatSaySoHaveIt() {
        #expect(self.load("plain: [{for_each: [1], name: a}]\n").report().problems.map(\.code) == [.unknownKey])
        #expect(self.load("plain: [{name: \"{a}\"}]\n").report().isEmpty)
    }

    @Test func valuesAreLimited() {
        let keys = (0..<40).map { "x-\($0): 1" }.joined(separator: ", ")
        let text = "things: [{for_each: {range: 1-9999}, name: \"t{item}\", \(keys)}]\n"
        #expect(self.load(text).report().problems.map(\.code) == [.tooManyNodes])
        #expect(self.load(text).root.sections("things").count < 3000)
        let long = String(repeating: "x", count: 200_000)
        let texts =
            "things: [{for_each: {range: 1-9999}, name: \"t{item}\", x-a: \"{item}\", value: \"{item}\(long)\"}]\n"
        #expect(self.load(texts).report().problems.map(\.code).contains(.tooManyNodes))
        #expect(self.load(texts).root.sections("things").count < 100)
    }

    @Test func aSecretOfAnItemIsNotShown() {
        let text =
            "things: [{for_each: [{s: hunter1, v: x}], name: a, password: \"{s}\", value: \"{v}\", color: [1]}]\n"
        let report = self.load(text).report()
        #expect(report.problems.count == 2)
        #expect(!report.text().contains("hunter1"))
    }

    // MARK: Defaults

    @Test func whatElementsLeaveOutIsTakenFromTheDefaults() {
        let things = self.things(
            """
            defaults: {value: 7, parts: [a, b], inner: {one: 1, two: 2}, x-note: 1}
            things: [{name: a}, {name: b, value: 8, parts: [c], inner: {two: 3}}]
            """)
        #expect(things.map { $0.integer("value") } == [7, 8])
        #expect(things.map { $0.strings("parts") } == [["a", "b"], ["c"]])
        #expect(things.map { $0.section("inner").optionalInteger("one") } == [1, 1])
        #expect(things.map { $0.section("inner").optionalInteger("two") } == [2, 3])
        #expect(things[0].origin("value").description == "t:1:19" && things[1].origin("value").description == "t:2:38")
    }

    @Test func mistakesInDefaultsAreReportedOnce() {
        let text = """
            defaults: {name: a, for_each: [1], valeu: 1, color: [1], inner: {one: 12}, listen: "0.0.0.0:80"}
            things: [{name: a}, {name: b}]
            """
        #expect(
            self.messages(text) == [
                "1:12 'name' cannot stand in 'defaults': it is what tells elements apart",
                "1:21 'for_each' cannot stand in 'defaults': it is what tells elements apart",
                "1:36 unknown key 'valeu' in 'defaults'",
                "1:53 'defaults.color' must be a text, not a list",
                "1:71 'defaults.inner.one' must be 0 to 9, not 12",
                "1:84 only one element can listen on 0.0.0.0:80, which 'defaults' gives to all",
            ])
        #expect(self.messages("defaults: {color: [1]}\n") == ["1:19 'defaults.color' must be a text, not a list"])
        #expect(self.messages("defaults: 5\nthings: [{name: a}]\n").count == 1)
    }

    // MARK: Groups

    @Test func groupsAreTheirMembers() {
        let root = self.load(
            """
            things: [{for_each: {range: 1-3}, name: "r{item}"}, {name: hall}]
            groups: {rooms: ["r*"], ends: [r1, hall], none: ["z*"]}
            names: [ends, rooms, r2, none]
            patterns: rooms
            """
        ).root
        #expect(root.strings("names") == ["r1", "hall", "r2", "r3", "r2", "z*"])
        #expect(root.strings("patterns") == ["r*"])
        let plain = self.load("things: [{name: a}]\npatterns: a*\nnames: [a*, b]\n").root
        #expect(plain.optionalString("patterns") == "a*" && plain.strings("names") == ["a", "b"])
    }

    @Test func membersAreLimited() {
        let members = (0..<4000).map { "m\($0)" }.joined(separator: ", ")
        let lists = (0..<60).map { _ in "all" }.joined(separator: ", ")
        let text = "groups: {all: [\(members)]}\nnames: [\(lists)]\n"
        #expect(self.load(text).report().problems.map(\.code) == [.tooManyNodes])
    }
}
