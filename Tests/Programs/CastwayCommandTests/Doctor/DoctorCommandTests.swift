import CastWire
import CastwayTestSupport
import Testing

@testable import castway

/// The report, and the real program.
@Suite(.timeLimit(.minutes(2))) struct DoctorCommandTests {
    @Test func theReportSaysTheWorst() throws {
        var report = DoctorReport()
        #expect(report.worst == .ok)
        report.add([.ok("a", "well")], of: "first")
        report.add(
            [.warn("b", "so so", advice: "look after it"), .fail("c", "bad\nline", advice: "mend it")], of: "second")
        #expect(report.worst == .fail)
        #expect(
            report.lines == [
                "first", "  ok    a: well", "second", "  warn  b: so so", "        look after it",
                "  fail  c: bad\u{FFFD}line", "        mend it", "", "1 ok, 1 warn, 1 fail",
            ])
        let json = report.json
        #expect(json.string("worst") == "fail")
        let second = try #require(json.array("checks")?.last?.objectValue)
        #expect(second.string("check") == "second")
        #expect(second.array("findings")?.first?.objectValue?.string("advice") == "look after it")
    }

    @Test(arguments: [
        ("500ms", Duration.milliseconds(500)), ("5s", .seconds(5)), ("1m", .seconds(60)), ("5", .seconds(5)),
        ("0.2", .milliseconds(200)),
        ("1.5s", .milliseconds(1500)), ("60m", .seconds(3600)),
    ])
    func timeoutsHaveUnits(_ text: String, _ duration: Duration) {
        #expect(CommandTimeout(argument: text)?.duration == duration)
    }

    @Test(arguments: ["0", "0s", "-1s", "-1", "61m", "x", "s", "", ".", "1h", "1e3", "5 s", "99999999999999999999s"])
    func otherTimeoutsAreNone(_ text: String) {
        #expect(CommandTimeout(argument: text) == nil)
    }

    /// Exit 2 or 1 is for what is wrong; on any machine the clock of a container or a missing Avahi may be.
    @Test func theProgramReports() async throws {
        let folder = try TemporaryFolder()
        try folder.writeConfiguration(adding: "x-note: none")
        let text = try await CastwayProcess.run("doctor", "--timeout", "100ms", folder: folder.path)
        #expect([0, 1, 2].contains(text.status))
        #expect(text.output.hasPrefix("configuration\n  ok    gateway.yaml: readable and right\nstate directory\n"))
        #expect(text.output.contains("projector at 127.0.0.1:1: not reached: Connection refused"))
        let json = try await CastwayProcess.run("doctor", "--json", "--timeout", "100ms", folder: folder.path)
        let worst = try JSONReader.read(json.output).objectValue?.string("worst")
        #expect(json.status == (worst == "fail" ? 1 : 2))

        try folder.writeConfiguration(adding: "loging: {}")
        let broken = try await CastwayProcess.run("doctor", "--timeout", "100ms", folder: folder.path)
        #expect(broken.status == 1)
        #expect(broken.output.contains("fail  gateway.yaml: CW1001"))
        #expect(!broken.output.contains("static devices"))
    }
}
