import Foundation
import GatewayApp
import GatewayConfig
import Testing

/// Every `Tests/Fixtures/BadConfigs/NAME.yaml` gives exactly the messages in `NAME.expected.txt`.
struct BadConfigTests {
    @Test func thereAreEnoughOfThem() {
        #expect(ConfigFixtures.bad.count >= 45)
    }

    @Test(arguments: ConfigFixtures.bad)
    func messagesAreExact(_ name: String) throws {
        let result = ConfigFixtures.load("BadConfigs", name + ".yaml")
        let expected = try ConfigFixtures.text("BadConfigs", name + ".expected.txt")
        #expect(result.report.text() == expected)
        #expect(result.configuration == nil)
        #expect(result.report.hasErrors)
    }

    @Test func everyCodeIsExercised() {
        var seen: Set<ConfigProblem.Code> = []
        for name in ConfigFixtures.bad {
            seen.formUnion(ConfigFixtures.load("BadConfigs", name + ".yaml").problems.map(\.code))
        }
        let missing = ConfigProblem.Code.allCases.filter { !seen.contains($0) }
        #expect(missing.isEmpty)
    }

    @Test func everyCodeIsExplainedOnceAndKeepsItsForm() {
        let codes = ConfigProblem.Code.allCases
        #expect(Set(codes.map(\.explanation)).count == codes.count)
        for code in codes {
            #expect(code.rawValue.count == 6 && code.rawValue.hasPrefix("CW1"))
            #expect(GatewayConfiguration.referenceMarkdown().contains("| \(code.rawValue) | \(code.explanation) |"))
        }
    }

    @Test(arguments: ConfigFixtures.bad)
    func noSecretAppears(_ name: String) {
        let report = ConfigFixtures.load("BadConfigs", name + ".yaml").report
        for format in ConfigReport.Format.allCases {
            #expect(!report.rendered(as: format).contains("hunter"))
        }
    }

    @Test(arguments: ConfigFixtures.bad)
    func jsonReportIsJSONWithAllProblems(_ name: String) throws {
        let report = ConfigFixtures.load("BadConfigs", name + ".yaml").report
        let array = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [[String: Any]]
        #expect(array?.count == report.problems.count)
        #expect(array?.compactMap { $0["code"] as? String } == report.problems.map(\.code.rawValue))
    }

    @Test func warningsAloneDoNotRefuse() {
        let files = ["gateway.yaml": "version: 1\ninclude: [conf.d/*.yaml]\n"]
        let result = GatewayConfiguration.load(
            path: "gateway.yaml",
            fileSystem: .memory(files),
            environment: [:]
        )
        #expect(result.problems.map(\.code) == [.includeMatchesNothing])
        #expect(result.configuration == GatewayConfiguration())
    }
}
