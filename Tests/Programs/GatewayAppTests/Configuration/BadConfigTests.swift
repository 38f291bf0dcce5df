import Foundation
import GatewayConfig
import GatewaySettings
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
        // That one comes from a plugin that runs: PluginReloadTests, and the gateway's own tests of reloads.
        seen.insert(.refusedByPlugin)
        // No checkout keeps such rights of files: PluginFileRightsTests.
        seen.insert(.openToOthers)
        // Its message names files of the machine: CompleteCheckTests.
        seen.insert(.linkLeadsOut)
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

    /// With mDNS a device may be found that is written down nowhere; one that looks like a slip is pointed out.
    @Test(arguments: [("meetng-room", 1), ("Kitchen speaker", 0), ("meeting-room", 0)])
    func aTargetThatMayBeFoundIsWarnedOfWhenItIsSimilar(_ target: String, count: Int) {
        let text = """
            version: 1
            discovery: {static: [{name: meeting-room, address: 192.0.2.40}]}
            virtual_devices: [{name: a, listen: "0.0.0.0:8009", target: {device: \(target)}}]

            """
        let result = GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": text]), environment: [:])
        #expect(result.configuration != nil)
        #expect(result.problems.count == count)
        for problem in result.problems {
            #expect(problem.severity == .warning && problem.code == .undefinedReference)
            #expect(problem.message == "'discovery.static' has no device 'meetng-room'; it waits for discovery")
            #expect(problem.hint == "did you mean 'meeting-room'?")
        }
    }

    /// A program that does what the gateway leaves to others lies where the advice says.
    @Test func theProgramThatIsAdvisedIsThere() throws {
        let result = ConfigFixtures.load("BadConfigs", "keys-of-the-machine.yaml")
        let hint = try #require(result.problems.first?.hint)
        let path = try #require(hint.split(separator: " ").first { $0.hasSuffix(".py") })
        #expect(FileManager.default.isExecutableFile(atPath: SourceIndex.root.appending(path: path).path))
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
