import GatewayConfig
import Testing

/// Configurations of several files.
struct IncludeTests {
    @Test func mappingsMergeAndListsOfMappingsAppendInOrder() {
        let document = ConfigTestSchema.load(
            "include: [conf.d/*.yaml]\nthings: [{name: main}]\nmap: {a: 1}\n",
            [
                "conf.d/20.yaml": "things: [{name: late}]\nmap: {c: 3}\n",
                "conf.d/10.yaml": "include: [more/x.yaml]\nthings: [{name: early}]\ncount: 9\n",
                "conf.d/more/x.yaml": "things: [{name: inner}]\nmap: {b: 2}\n",
                "conf.d/ignored.txt": "count: 1",
            ]
        )
        #expect(document.report().isEmpty)
        #expect(document.root.sections("things").map { $0.string("name") } == ["main", "early", "inner", "late"])
        #expect(document.root.map("map").map(\.key) == ["a", "b", "c"])
        #expect(document.root.integer("count") == 9)
        #expect(document.root.origin("count").summary == "conf.d/10.yaml:3")
        #expect(!document.root.has("include"))
        #expect(document.files == ["conf.d/10.yaml", "conf.d/20.yaml", "conf.d/more/x.yaml", "test.yaml"])
    }

    @Test func overlappingPatternsReadAFileOnce() {
        let files = ["a.yaml": "count: 1"]
        #expect(ConfigTestSchema.codes("include: [a.yaml, '?.yaml', ./a.yaml]", files) == [])
    }

    @Test func fourLevelsAreAllowedAndFiveAreNot() {
        var files = ["1.yaml": "include: [2.yaml]", "2.yaml": "include: [3.yaml]", "3.yaml": "include: [4.yaml]"]
        files["4.yaml"] = "count: 4"
        #expect(ConfigTestSchema.load("include: [1.yaml]", files).root.integer("count") == 4)
        files["4.yaml"] = "include: [5.yaml]"
        #expect(ConfigTestSchema.codes("include: [1.yaml]", files) == [.includeTooDeep])
    }

    @Test func fileNumberIsLimited() {
        var files: [String: String] = [:]
        for number in 0..<300 { files["d/\(number).yaml"] = "{}" }
        let codes = ConfigTestSchema.codes("include: ['d/*']", files)
        #expect(codes == [.includeTooDeep])
    }

    @Test func patternsMayComeFromTheEnvironment() {
        let files = ["site.yaml": "count: 2"]
        let document = ConfigTestSchema.load("include: ['${SITE}.yaml']", files, environment: ["SITE": "site"])
        #expect(document.root.integer("count") == 2)
        let codes = ConfigTestSchema.codes("include: ['${SITE}.yaml']", files, environment: ["SITE": "../site"])
        #expect(codes == [.includeOutside])
    }

    @Test func notesOfSeveralFilesDoNotCollide() {
        #expect(ConfigTestSchema.codes("x-a: 1\ninclude: [b.yaml]", ["b.yaml": "x-a: 2"]) == [])
    }

    @Test func anIncludedFileThatIsEmptyAddsNothing() {
        #expect(ConfigTestSchema.codes("count: 1\ninclude: [b.yaml]", ["b.yaml": ""]) == [])
    }

    @Test func unreadFilesHideProblemsThatTheyMightSolve() {
        #expect(ConfigTestSchema.codes("count: x\ninclude: [b.yaml]", ["b.yaml": "a: [", "c": ""]) == [.syntax])
    }
}
