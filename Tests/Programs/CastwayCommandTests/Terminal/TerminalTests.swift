import CastwayTestSupport
import Testing

@testable import castway

/// Colours and progress: for people at a terminal, and for no program.
@Suite(.timeLimit(.minutes(2))) struct TerminalTests {
    private static let escape = "\u{1B}["
    /// Gives what follows a terminal of its own.
    private static let onTerminal = ["/bin/sh", "-c", "exec /usr/bin/script -qefc \"$0 $*\" /dev/null"]

    private static func check(
        _ arguments: [String], environment: [String: String] = [:], onTerminal: Bool = false
    ) async throws -> CastwayProcess.Result {
        try await TemporaryFolder.with { folder in
            try folder.write("version: 1\nvirtual_device: []\n", to: "gateway.yaml")
            let terminal = onTerminal ? Self.onTerminal : []
            return await
                (try CastwayProcess(
                    ["check"] + arguments, environment: environment.merging(["TERM": "xterm"]) { own, _ in own },
                    folder: folder.path, through: terminal)).result()
        }
    }

    @Test func aPipeGetsNoColours() async throws {
        let plain = try await Self.check([])
        #expect(plain.status == 1)
        #expect(plain.output.contains("error[CW1001]: unknown key 'virtual_device'"))
        #expect(!plain.output.contains(Self.escape))
    }

    @Test func aTerminalGetsColours() async throws {
        let coloured = try await Self.check([], onTerminal: true)
        #expect(coloured.status == 1)
        #expect(coloured.output.contains("\(Self.escape)1;31merror[CW1001]:\(Self.escape)0m"), "\(coloured.output)")
    }

    @Test(arguments: [
        (["--color", "never"], [:]), (["--color=never"], [:]), ([], ["NO_COLOR": "1"]), ([], ["TERM": "dumb"]),
    ])
    func aTerminalGetsNoneWhenTheyAreNotWanted(_ arguments: [String], _ environment: [String: String]) async throws {
        let plain = try await Self.check(arguments, environment: environment, onTerminal: true)
        #expect(plain.status == 1)
        #expect(plain.output.contains("error[CW1001]"))
        #expect(!plain.output.contains(Self.escape))
    }

    /// What is asked for holds against the variable.
    @Test func alwaysIsAlways() async throws {
        let coloured = try await Self.check(["--color", "always"], environment: ["NO_COLOR": "1"])
        #expect(coloured.output.contains(Self.escape))
        let json = try await Self.check(["--color", "always", "--json"])
        #expect(!json.output.contains(Self.escape))
    }

    @Test(arguments: [
        ["--color", "always", "config", "explain", "CW0"], ["--color=always", "config", "explain", "CW0"],
        ["config", "explain", "CW0", "--color", "always"],
    ])
    func theOptionMayStandBeforeTheCommand(_ arguments: [String]) async throws {
        let result = await (try CastwayProcess(arguments)).result()
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("\(Self.escape)1;31mcastway:\(Self.escape)0m there is no code 'CW0'"))
    }

    @Test(arguments: [["--color", "green", "check"], ["--color"], ["check", "--color", "green"]])
    func anotherChoiceIsRefused(_ arguments: [String]) async throws {
        let result = await (try CastwayProcess(arguments)).result()
        #expect(result.status == 64)
        #expect(result.errors.contains("--color"))
    }

    // MARK: Progress

    @Test func aWaitIsToldOnATerminal() async throws {
        try await SilentServer.with { port in
            let arguments = ["cast", "127.0.0.1:\(port)", "status", "--timeout", "2s"]
            let told = await
                (try CastwayProcess(
                    arguments, environment: ["TERM": "xterm"], folder: "/", through: Self.onTerminal)).result()
            #expect(told.status != 0)
            #expect(told.output.contains("connecting to 127.0.0.1:\(port)"), "\(told.output)")
            // The line is gone before anything else is said.
            let last = told.output.split(separator: "\r").last { $0.contains("castway:") } ?? ""
            #expect(last.contains("\(Self.escape)K"))
            let silent = await (try CastwayProcess(arguments, folder: "/")).result()
            #expect(silent.status == told.status)
            #expect(!silent.errors.contains("connecting") && !silent.errors.contains("\r"))
        }
    }

    // MARK: Words in colours

    @Test func aReportIsPaintedWordByWord() {
        let report = """
            a.yaml:2:1: error[CW1001]: unknown key 'error[CW1001]:'
                2 | virtual_device: []
                  | ^^^^^^^^^^^^^^ did you mean 'virtual_devices'?
            a.yaml:3:1: warning[CW1076]: never

            """
        let painted = Paint(isColoured: true).report(report)
        #expect(
            painted == """
                a.yaml:2:1: \u{1B}[1;31merror[CW1001]:\u{1B}[0m unknown key 'error[CW1001]:'
                    2 | virtual_device: []
                      | \u{1B}[36m^^^^^^^^^^^^^^ did you mean 'virtual_devices'?\u{1B}[0m
                a.yaml:3:1: \u{1B}[1;33mwarning[CW1076]:\u{1B}[0m never

                """)
        #expect(Paint.plain.report(report) == report)
        #expect(Paint.plain("a", .error) == "a")
    }

    @Test func coloursDoNotMoveColumns() {
        let table = TextTable(rows: [["NAME", "STATE", "ID"], ["hall", "ok", "1"], ["office", "busy", ""]])
        #expect(table.lines == ["  NAME    STATE  ID", "  hall    ok     1", "  office  busy"])
        let painted = table.lines { column, cell in column == 1 ? "<\(cell)>" : cell }
        #expect(painted == ["  NAME    STATE  ID", "  hall    <ok>     1", "  office  <busy>"])
    }
}
