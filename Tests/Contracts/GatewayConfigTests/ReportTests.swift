import GatewayConfig
import Testing

/// How problems are printed.
struct ReportTests {
    @Test func textHasLineCaretsAndHint() {
        let report = ConfigTestSchema.load("flag: true\ncuont: 5\n").report()
        #expect(
            report.text() == """
                test.yaml:2:1: error[CW1001]: unknown key 'cuont'\u{20}at the top level
                    2 | cuont: 5
                      | ^^^^^ did you mean 'count'?  (known: text, name, word, flag, count, ratio, …)

                """
        )
    }

    @Test func jsonHasEveryMember() {
        let report = ConfigTestSchema.load("flag: \"on\"\n").report()
        #expect(
            report.json() == """
                [
                  {
                    "code": "CW1054",
                    "severity": "error",
                    "file": "test.yaml",
                    "line": 1,
                    "column": 7,
                    "endLine": 1,
                    "endColumn": 11,
                    "message": "'flag' must be true or false, not 'on' in quotes",
                    "hint": "write true"
                  }
                ]

                """
        )
        #expect(ConfigTestSchema.load("").report().json() == "[]\n")
    }

    @Test func githubEscapes() {
        let report = ConfigDocument.load(
            path: "a,b:c%.yaml",
            schema: ConfigTestSchema.schema,
            fileSystem: .memory(["a,b:c%.yaml": "word: \"50%\"\n"]),
            environment: [:]
        ).report()
        #expect(
            report.github()
                == "::error file=a%2Cb%3Ac%25.yaml,line=1,col=7,title=CW1053::'word' must be red or green, not '50%25'\n"
        )
    }

    @Test func problemsAreSortedByFileLineAndColumn() {
        let document = ConfigTestSchema.load(
            "include: [b.yaml, a.yaml]\nmap: {b: x, a: y}\nflag: maybe\n",
            ["a.yaml": "count: x", "b.yaml": "time: x"]
        )
        let places = document.report().problems.map(\.location.description)
        #expect(places == ["a.yaml:1:8", "b.yaml:1:7", "test.yaml:2:10", "test.yaml:2:16", "test.yaml:3:7"])
    }

    @Test func featuresAddProblemsAtValues() {
        var document = ConfigTestSchema.load("things: [{name: a}]\n")
        let thing = document.root.sections("things")[0]
        document.problems.add(.undefinedReference, at: thing.location("name"), "undefined 'a'", hint: "b")
        document.problems.add(.undefinedReference, at: thing.location("name"), "undefined 'a'", hint: "b")
        document.problems.add(.inconsistent, at: thing.location("value"), "odd", severity: .warning)
        #expect(document.report().problems.map(\.location.column) == [11, 17])
        #expect(document.report().problems.map(\.severity) == [.warning, .error])
        #expect(document.problems.hasErrors)
    }

    @Test func aTerminalIsNeverSentControls() {
        let report = ConfigTestSchema.load("\"a\\e[31m\\u202e\": 1\n").report()
        #expect(report.text().contains("unknown key 'a\u{FFFD}[31m\u{FFFD}'"))
        #expect(!report.text().contains("\u{1B}"))
    }

    @Test func tabsKeepCaretsInPlace() {
        let report = ConfigTestSchema.load("map: {\ta: x}\n").report()
        #expect(report.text().contains("    1 | map: {\ta: x}\n      |       \t   ^\n"))
    }
}
