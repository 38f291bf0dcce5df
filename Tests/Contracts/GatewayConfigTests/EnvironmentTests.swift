import CastWire
import GatewayConfig
import Testing

/// References to environment variables.
struct EnvironmentTests {
    private func text(_ written: String, _ environment: [String: String] = [:]) -> JSONValue {
        ConfigTestSchema.load("config: \(written)", environment: environment).root.json("config")
    }

    @Test func valuesAndDefaults() {
        #expect(self.text("${A}", ["A": "x"]) == .string("x"))
        #expect(self.text("a${A}b${B_2}", ["A": "x", "B_2": "y"]) == .string("axby"))
        #expect(self.text("${A:-d}", [:]) == .string("d"))
        #expect(self.text("${A:-d}", ["A": ""]) == .string("d"))
        #expect(self.text("${A:-}") == .null)
        #expect(self.text("'${A:-}'") == .string(""))
        #expect(self.text("${A:?no}", ["A": "x"]) == .string("x"))
        #expect(self.text("$${A}", ["A": "x"]) == .string("${A}"))
        #expect(self.text("'$A $ ${A}'", ["A": "$${B}"]) == .string("$A $ $${B}"))
    }

    @Test func onlyAnUnquotedWholeReferenceIsTyped() {
        #expect(self.text("${A}", ["A": "5"]) == .number(5))
        #expect(self.text("${A}", ["A": "true"]) == .bool(true))
        #expect(self.text("${A:-5}") == .number(5))
        #expect(self.text("'${A}'", ["A": "5"]) == .string("5"))
        #expect(self.text("${A}${B}", ["A": "5", "B": ""]) == .string("5"))
        #expect(self.text("1${A}", ["A": "5"]) == .string("15"))
    }

    @Test func aVariableCannotAddStructure() {
        let injected = "x\nflag: true\nlisten: {a: b}"
        let root = ConfigTestSchema.load("path: p\nconfig: ${A}\n", environment: ["A": injected]).root
        #expect(root.json("config") == .string(injected))
        #expect(!root.boolean("flag"))
    }

    @Test func keysAreNotExpanded() {
        let root = ConfigTestSchema.load("map: {'${A}': 1}", environment: ["A": "x"]).root
        #expect(root.map("map").first?.key == "${A}")
    }

    @Test func originIsTheVariableOnlyWhenItWasUsed() {
        let root = { (environment: [String: String]) in
            ConfigTestSchema.load("count: ${A:-3}\npath: /${A:-x}/${B:-y}", environment: environment).root
        }
        #expect(root([:]).origin("count").description == "test.yaml:1:8")
        #expect(root(["A": "4"]).origin("count").description == "environment A")
        #expect(root(["A": "4", "B": "5"]).origin("path").description == "environment A, B")
    }

    @Test func eachMissingReferenceHasItsOwnColumn() {
        let problems = ConfigTestSchema.load("path: ${A}/${B}/${A}\nconfig: |\n  one\n  two ${C}\n").report().problems
        #expect(problems.map(\.location.line) == [1, 1, 1, 4])
        #expect(problems.map(\.location.column) == [7, 12, 17, 7])
        #expect(problems.map(\.location.endColumn) == [11, 16, 21, 11])
    }

    @Test(arguments: ["${", "${}", "${1A}", "${A-b}", "${A:+b}", "${A b}", "${ä}"])
    func malformedReferencesAreProblems(_ written: String) {
        #expect(ConfigTestSchema.codes("config: '\(written)'", environment: ["A": "x"]) == [.malformedReference])
    }
}
