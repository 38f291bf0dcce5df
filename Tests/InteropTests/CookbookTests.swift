import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import Testing

/// The deployments of `Docs/cookbook.md`: each is run, and tried by pychromecast from several addresses.
@Suite(.timeLimit(.minutes(5))) struct CookbookTests {
    /// A file, and what is tried with it.
    struct Trial: Sendable, CustomTestStringConvertible {
        let file: String
        /// The function of `cookbook.py`.
        let scenario: String
        /// What the operator's own networks and hours are here.
        var environment: [String: String] = [:]

        var testDescription: String { "\(self.file): \(self.scenario)" }
    }

    /// What a driver reports.
    private struct Line: Decodable {
        let step: String
        let what: String?
        let holds: Bool?
        let seen: String?
    }

    private static let trials = [
        Trial(
            file: "01-hotel", scenario: "hotel",
            environment: ["ROOM_101": "127.0.0.11", "ROOM_102": "127.0.0.12", "STAFF": "127.0.0.13"]),
        Trial(
            file: "02-school", scenario: "lessons",
            environment: ["TEACHERS": "127.0.0.12", "LESSONS": "00:00-24:00"]),
        Trial(
            file: "02-school", scenario: "afternoon",
            environment: ["TEACHERS": "127.0.0.12", "LESSONS": Self.anotherDay]),
        Trial(file: "03-shop-window", scenario: "window", environment: ["BACK_OFFICE": "127.0.0.11"]),
        Trial(file: "04-home", scenario: "home", environment: ["FAMILY": "127.0.0.11"]),
        Trial(
            file: "05-meeting-room", scenario: "meeting",
            environment: ["MEETING_ROOM": "127.0.0.11", "HELP_DESK": "127.0.0.12"]),
        Trial(file: "06-museum", scenario: "museum", environment: ["ATTENDANTS": "127.0.0.12"]),
        Trial(file: "07-test-lab", scenario: "laboratory"),
        Trial(file: "08-plugin-bridge", scenario: "bridge", environment: ["RESIDENTS": "127.0.0.11"]),
        Trial(file: "09-kiosk", scenario: "kiosk"),
        Trial(file: "10-night", scenario: "night", environment: ["NIGHT": "00:00-24:00"]),
        Trial(file: "10-night", scenario: "day", environment: ["NIGHT": Self.anotherDay]),
    ]

    /// A day of the week that is today in no time zone.
    private static let anotherDay: String = {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        // The first day of 1970 was a Thursday.
        let today = Int(Date().timeIntervalSince1970) / 86_400 + 3
        return names[(today + 3) % 7]
    }()

    private static let root = PythonInterpreter.drivers.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let folder = Self.root.appending(path: "Docs/examples/cookbook")

    private static func text(_ file: String) throws -> String {
        try String(contentsOf: Self.folder.appending(path: "\(file).yaml"), encoding: .utf8)
    }

    /// Reads a file with other ports in the place of those written, and with what the environment says.
    private static func load(_ trial: Trial, state: String) throws -> GatewayConfigurationResult {
        var text = try Self.text(trial.file)
        for port in Set(text.matches(of: /127\.0\.0\.1:(81\d\d)/).map { String($0.output.1) }) {
            text = text.replacing("127.0.0.1:\(port)", with: "127.0.0.1:\(try FreePort.next())")
        }
        let path = Self.folder.appending(path: "\(trial.file).yaml").path
        let disk = ConfigFileSystem.disk
        let bytes = Array(text.utf8)
        let files = ConfigFileSystem(
            read: { (wanted, limit) throws(ConfigFileError) in
                try wanted == path ? bytes : disk.read(wanted, limit)
            },
            find: disk.find, permissions: disk.permissions)
        return GatewayConfiguration.load(
            path: path, fileSystem: files,
            environment: trial.environment.merging(["CASTWAY_STATE_DIR": state]) { own, _ in own })
    }

    @Test(arguments: Self.trials) func whatIsAllowedWorksAndWhatIsForbiddenIsRefused(_ trial: Trial) async throws {
        try await TemporaryFolder.with { folder in
            let result = try Self.load(trial, state: folder.path)
            var configuration = try #require(result.configuration, "\(result.report.text())")
            configuration.shutdown.drain = .milliseconds(100)
            try await RunningGateway.with(configuration) { gateway in
                let ports = String(decoding: try JSONEncoder().encode(gateway.ports), as: UTF8.self)
                let process = try DriverProcess(
                    python: PythonInterpreter(),
                    arguments: [
                        PythonInterpreter.drivers.appending(path: "cookbook.py").path, trial.scenario, ports,
                    ])
                defer { process.kill() }
                var lines: [Line] = []
                for await line in process.lines { lines.append(try JSONDecoder().decode(Line.self, from: line)) }
                for line in lines where line.step == "check" {
                    #expect(line.holds == true, "\(trial): \(line.what ?? ""): \(line.seen ?? "")")
                }
                #expect(lines.last?.step == "end", "\(process.errors)")
                #expect(lines.count > 3)
            }
        }
    }

    @Test func everyFileIsTried() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
            $0.hasSuffix(".yaml")
        }
        #expect(Set(files) == Set(Self.trials.map { "\($0.file).yaml" }))
        #expect(files.count >= 10)
    }

    /// As it lies there, with nothing in the environment.
    @Test(arguments: Set(Self.trials.map(\.file)).sorted()) func everyFileIsRightUnchanged(_ file: String) {
        let result = GatewayConfiguration.load(
            path: Self.folder.appending(path: "\(file).yaml").path, environment: [:])
        #expect(result.configuration != nil && !result.report.hasErrors, "\(result.report.text())")
        #expect(result.problems.isEmpty, "\(result.report.text())")
    }

    @Test(arguments: Set(Self.trials.map(\.file)).sorted()) func thePageShowsTheFile(_ file: String) throws {
        let page = try String(contentsOf: Self.root.appending(path: "Docs/cookbook.md"), encoding: .utf8)
        #expect(page.contains("```yaml\n\(try Self.text(file))```"), "Docs/cookbook.md has not \(file).yaml as it is")
        #expect(page.contains("examples/cookbook/\(file).yaml"))
    }
}
