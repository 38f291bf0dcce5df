import CastWire
import GatewayConfig
import Testing

/// Places, limits and what YAML offers but Castway refuses.
struct YAMLReadingTests {
    private func first(_ text: String) -> ConfigProblem? {
        ConfigTestSchema.load(text).report().problems.first
    }

    @Test func placesCountCharactersNotBytes() throws {
        let problem = try #require(self.first("text: é\nmap: {\"大厅\": 1, b: x}\n"))
        #expect(problem.location.line == 2)
        #expect(problem.location.column == 19)
        #expect(problem.location.endColumn == 20)
    }

    @Test func aByteOrderMarkIsNoColumn() {
        #expect(
            self.first("\u{FEFF}cuont: 1")?.location
                == ConfigLocation(
                    file: "test.yaml",
                    line: 1,
                    column: 1,
                    endColumn: 6
                ))
    }

    @Test func carriageReturnsAreLineBreaks() {
        #expect(self.first("count: 1\r\nflag: maybe\r\n")?.location.line == 2)
        #expect(self.first("count: 1\r\nflag: maybe\r\n")?.excerpt == "flag: maybe")
    }

    @Test func anchorsAndAliasesAreValues() {
        let document = ConfigTestSchema.load("x-a: &a {name: one, value: 3}\nthings: [*a]\ntext: &t abc\nname: *t\n")
        #expect(document.report().isEmpty)
        #expect(document.root.sections("things").first?.integer("value") == 3)
        #expect(document.root.string("name") == "abc")
    }

    @Test func aLaterAnchorHidesAnEarlierOne() {
        let document = ConfigTestSchema.load("x-a: [&a 1, &a 2]\ncount: *a\n")
        #expect(document.root.integer("count") == 2)
        #expect(ConfigTestSchema.codes("x-a: &a 1\nx-b: &a [*a]\n") == [.undefinedAlias])
    }

    @Test func notesAreIgnoredEverywhere() {
        #expect(ConfigTestSchema.codes("x-note: ${NOT_SET}\nmap: {x-a: text}\nthings: [{name: a, x-b: [1]}]\n") == [])
    }

    @Test func depthIsLimited() {
        let nested = { (depth: Int) in
            "config: " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(ConfigTestSchema.codes(nested(63)) == [])
        #expect(ConfigTestSchema.codes(nested(64)) == [.tooDeep])
        #expect(ConfigTestSchema.codes(nested(100_000)) == [.tooDeep])
    }

    @Test func nodesAreLimitedOverAllFiles() {
        let list = "[" + String(repeating: "1,", count: 30_000) + "]"
        #expect(ConfigTestSchema.codes("config: \(list)") == [])
        let codes = ConfigTestSchema.codes("config: \(list)\ninclude: [a.yaml]", ["a.yaml": "x-b: \(list)"])
        #expect(codes == [.tooManyNodes])
    }

    @Test func sizeIsLimited() {
        let limit = 1 << 20
        let comment = "#" + String(repeating: "x", count: limit - 1)
        #expect(ConfigTestSchema.codes(comment) == [])
        let problem = self.first(comment + "x")
        #expect(problem?.code == .fileTooLarge)
        #expect(problem?.message == "cannot read 'test.yaml': it has more than 1 MiB")
    }

    @Test func stylesKeepTheirText() {
        let config = { (text: String) in ConfigTestSchema.load("config: \(text)").root.json("config") }
        #expect(config("'it''s'") == .string("it's"))
        #expect(config(#""a\u00e9\n""#) == .string("aé\n"))
        #expect(config("|\n  a\n  b\n") == .string("a\nb\n"))
        #expect(config(">-\n  a\n  b\n") == .string("a b"))
        #expect(config("'12'") == .string("12"))
        #expect(config("~") == .null)
        #expect(config("0o17") == .number(15))
        #expect(config("-0") == .number(0))
        #expect(config("1e2").doubleValue == 100)
    }

    @Test func oneHugeLineWithManyProblemsIsCheap() {
        let entries = (0..<15_000).map { "k\($0): ${V\($0)}" }.joined(separator: ", ")
        let document = ConfigTestSchema.load("{\(entries.replacing("${", with: "'${").replacing("}", with: "}'"))}")
        #expect(document.report().problems.count == 100)
        #expect(document.report().droppedCount > 14_000)
        #expect(document.report().problems.allSatisfy { $0.excerpt == nil })
        #expect(document.report().text().hasSuffix("and \(50 + document.report().droppedCount) more\n"))
    }
}
