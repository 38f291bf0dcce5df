import CastWire
import GatewayConfig
import Testing

/// The merge key `<<` of YAML 1.1.
struct MergeKeyTests {
    private func config(_ text: String) -> JSONValue {
        let document = ConfigTestSchema.load(text)
        #expect(document.report().text() == "")
        return document.root.json("config")
    }

    @Test func ownKeysWinWhereverTheyStand() {
        let value = self.config("x-a: &a {one: 1, two: 2}\nconfig: {two: 20, <<: *a, three: 30}\n")
        #expect(value == ["two": 20, "three": 30, "one": 1])
        #expect(self.config("x-a: &a {one: 1}\nconfig: {<<: *a, one: 10}\n") == ["one": 10])
    }

    @Test func ofAListTheFirstWins() {
        let value = self.config(
            "x-a: &a {one: 1}\nx-b: &b {one: 2, two: 2}\nconfig: {<<: [*a, *b, {two: 3, four: 4}]}\n")
        #expect(value == ["one": 1, "two": 2, "four": 4])
    }

    @Test func mergedMappingsMayMergeOthers() {
        #expect(
            self.config("x-a: &a {one: 1}\nx-b: &b {<<: *a, two: 2}\nconfig: {<<: *b}\n") == ["two": 2, "one": 1])
    }

    @Test func aQuotedKeyIsAKey() {
        #expect(self.config("config: {\"<<\": 1}\n") == ["<<": 1])
    }

    @Test func valuesKeepTheirPlace() throws {
        let document = ConfigTestSchema.load("x-a: &a {name: one, value: 12}\nthings:\n  - {<<: *a}\n")
        let problem = try #require(document.report().problems.first)
        #expect(problem.code == .outOfRange && problem.location.line == 1)
    }

    @Test func onlyMappingsMerge() {
        #expect(ConfigTestSchema.codes("config: {<<: 5}\n") == [.mergeKey])
        #expect(ConfigTestSchema.codes("config: {<<: [{a: 1}, [2]]}\n") == [.mergeKey])
        #expect(ConfigTestSchema.codes("config: {<<: *none}\n") == [.undefinedAlias])
        #expect(ConfigTestSchema.codes("config: {<<: {a: 1}, <<: {b: 1}}\n") == [.duplicateKey])
        #expect(ConfigTestSchema.codes("config: {<<: {a: 1}, b: 1, b: 2}\n") == [.duplicateKey])
    }

    @Test func aBombOfMergesIsRefused() {
        let text = (1..<12).reduce("x-0: &a0 {a: 1, b: 2, c: 3, d: 4}\n") { text, level in
            let aliases = [String](repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            return text + "x-\(level): &a\(level) {<<: [\(aliases)]}\n"
        }
        #expect(ConfigTestSchema.codes(text) == [.tooManyNodes])
    }
}
