import Foundation
import NIOPosix
import Testing

/// `Docs/your-first-handler.md`, followed word by word.
@Suite(.timeLimit(.minutes(20))) struct FirstHandlerGuideTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    @Test func theGuideWorksAsItStands() async throws {
        let text = try String(contentsOfFile: Self.package + "/Docs/your-first-handler.md", encoding: .utf8)
        let steps = try GuideStep.read(text)
        let commands = steps.count { if case .command = $0 { true } else { false } }
        #expect(commands >= 15)
        #expect(steps.count - commands >= 6)
        try await NIOThreadPool.singleton.runIfActive {
            let programs = URL(filePath: CastwayProcess.executable).deletingLastPathComponent().path
            let reader = try GuideReader(programs: programs, package: Self.package)
            for step in steps { try reader.follow(step) }
        }
    }

    @Test(arguments: [
        (["a", "…", "d"], "a\nb\nc\nd\n", true), (["a", "…", "d"], "a\nd\n", true), (["a", "…"], "a\n", true),
        (["a"], "a\nb\n", false), (["a … c"], "a b c\n", true), (["a … c"], "a b d\n", false), (["… x"], "1 x\n", true),
        ([], "", true), ([], "a\n", false),
    ]) func outputsAreCompared(_ expected: [String], _ said: String, _ matches: Bool) {
        #expect(GuideOutput(lines: expected).matches(said) == matches)
    }

    @Test func filesAndCommandsAreFound() throws {
        let steps = try GuideStep.read(
            """
            text
            <!-- file: a/b -->
            ```yaml
            x: 1
            ```
            ```sh
            not run
            ```
            ```console
            $ one
            out
            $ two
            ```
            """)
        #expect(
            steps.map { "\($0)" } == [
                "file(path: \"a/b\", text: \"x: 1\\n\")", "command(\"one\", output: [\"out\"])",
                "command(\"two\", output: [])",
            ])
        #expect(throws: GuideStep.Malformed.self) { try GuideStep.read("```console\n$ one") }
    }
}
