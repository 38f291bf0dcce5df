import GatewayConfig
import Testing

/// What follows from the one declaration of a key.
struct ConfigKeyTests {
    /// A type with a key of every kind of declaration.
    struct Stage: ConfigObject {
        enum Size: String, Sendable, CaseIterable {
            case small, large
        }

        struct Row: ConfigObject {
            var name: String
            var seats = 10

            static let keys: [Key] = [
                .required("name", \.name, .text(), "Its name", example: "front"),
                Key("seats", \.seats, .integer(1...100), "Its seats"),
            ]

            init(name: String) { self.name = name }
            init(blank: ConfigBlank) { self.init(name: "") }

            static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
                guard section.integer("seats") == 13 else { return }
                problems.add(.inconsistent, at: section.location("seats"), "no row has 13 seats")
            }
        }

        struct Curtain: ConfigSettings {
            var delay = Duration.milliseconds(1500)
            var colours = ["red", "dark blue"]

            static let keys: [Key] = [
                Key("delay", \.delay, .duration(), "How long it takes", reload: .hot),
                Key("colours", \.colours, .list(of: .text()), "Its colours"),
            ]
        }

        var name: String
        var label = ""
        var size = Size.small
        var limit: Int? = 50
        var memory = 64 << 10
        var note: String?
        var curtain = Curtain {
            $0.delay = .seconds(120)
        }
        var first = Duration.seconds(1)
        var rows: [Row] = []
        var own = Curtain()

        static let keys: [Key] =
            [
                .required("name", \.name, .text(), "Its name", reload: .restart),
                Key("label", \.label, .text(), sameAs: "name", "Its label"),
                Key("size", \.size, .word, "Its size"),
                Key("limit", \.limit, .integer(1...99, orNil: "none"), "A limit"),
                Key("memory", \.memory, .size(), "A size in bytes"),
                .optional("note", \.note, .text(), "A note"),
                Key("curtain", \.curtain, .object, "The curtain", reload: .newConnections),
                .section("times", "Times", reload: .device, [Key("first", \.first, .duration(), "The first")]),
                Key("rows", \.rows, .list(of: .object, namedBy: "name", \.name, orderMatters: true), "Rows"),
            ] + Curtain.keys.embedded(in: \Self.own, asOverrides: true)

        init(name: String) { self.name = name }
        init(blank: ConfigBlank) { self.init(name: "") }
    }

    private func load(_ text: String) -> ConfigDocument {
        var document = ConfigDocument.load(
            path: "t", schema: Stage.schema, fileSystem: .memory(["t": text]), environment: [:])
        Stage.checkAll(document.root, problems: &document.problems)
        return document
    }

    private func stage(_ text: String) -> Stage {
        let document = self.load(text)
        #expect(document.report().text() == "")
        return Stage(reading: document.root)
    }

    private func changes(_ old: String, _ new: String) -> [String] {
        ReloadDifference(from: self.stage(old), to: self.stage(new)).changes.map(\.description)
    }

    @Test func defaultsAreTheInitialValues() {
        var expected = Stage(name: "main")
        expected.label = "main"
        #expect(self.stage("name: main") == expected)
        // A mapping's defaults are those of the property, not those of its type; overrides have none.
        #expect(
            self.load("name: main").effectiveText(origins: false) == """
                name: main
                label: main
                size: small
                limit: 50
                memory: 64KiB
                curtain:
                  delay: 2m
                  colours: [red, dark blue]
                times:
                  first: 1s
                rows: []

                """)
    }

    @Test func whatIsWrittenIsRead() {
        let stage = self.stage(
            """
            name: main
            size: large
            limit: none
            note: hello
            curtain: {colours: []}
            times: {first: 2s}
            rows: [{name: front, seats: 3}, {name: back}]
            delay: 9s
            """)
        #expect(stage.size == .large && stage.limit == nil && stage.note == "hello")
        #expect(stage.curtain.delay == .seconds(120) && stage.curtain.colours == [])
        #expect(stage.first == .seconds(2))
        #expect(stage.rows.map(\.name) == ["front", "back"] && stage.rows.map(\.seats) == [3, 10])
        #expect(stage.own.delay == .seconds(9) && stage.own.colours == ["red", "dark blue"])
    }

    @Test func theReferenceShowsTheInitialValues() {
        let text = Stage.schema.referenceMarkdown(title: "T")
        for row in [
            "| `name` | text | required | Its name. | `restart` |", "| `label` | text | as `name` | Its label. | – |",
            "| `size` | `small` · `large` | `small` | Its size. | – |",
            "| `limit` | whole number, 1 to 99, or `none` | `50` | A limit. | – |",
            "| `note` | text | – | A note. | – |", "| `delay` | duration | `2m` | How long it takes. | `hot` |",
            "| `delay` | duration | – | How long it takes. | `hot` |",
            "| `colours` | list of texts | `[red, dark blue]` | Its colours. | `new-connections` |",
        ] {
            #expect(text.contains(row), "\(row)")
        }
    }

    @Test func everyMappingIsChecked() {
        let report = self.load("name: main\nrows: [{name: a, seats: 13}, {name: b}]").report()
        #expect(report.problems.map(\.message) == ["no row has 13 seats"])
        #expect(report.problems.first?.location.line == 2)
    }

    @Test func aDifferenceHasTheClassOfTheNearestKey() {
        #expect(self.changes("name: a", "name: a") == [])
        #expect(self.changes("name: a", "name: b") == ["name (restart)", "label (restart)"])
        #expect(self.changes("name: a", "name: a\nlimit: none") == ["limit (restart)"])
        #expect(
            self.changes("name: a", "name: a\ncurtain: {delay: 1s, colours: []}") == [
                "curtain.delay (hot)", "curtain.colours (new-connections)",
            ])
        #expect(self.changes("name: a", "name: a\ntimes: {first: 9s}") == ["times.first (device)"])
        #expect(self.changes("name: a", "name: a\ndelay: 9s") == ["delay (hot)"])
    }

    @Test func elementsOfAListAreToldApartByName() {
        let before = "name: a\nrows: [{name: x}, {name: y}]"
        #expect(
            self.changes(before, "name: a\nrows: [{name: z}, {name: x, seats: 4}]") == [
                "rows.z (restart, added)", "rows.x.seats (restart)", "rows.y (restart, removed)",
            ])
        #expect(self.changes(before, "name: a\nrows: [{name: y}, {name: x}]") == ["rows (restart, another order)"])
    }
}
