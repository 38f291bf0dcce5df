import CastwayTestSupport
import Foundation
import Testing

/// `castway plugin run --attach`, with plugins that are started by hand.
@Suite(.timeLimit(.minutes(3))) struct AttachTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// What a plugin is tried with.
    struct Trial {
        let folder: String
        let command: [String]
        let message: String
        let answer: String
    }

    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func aPluginInPython() async throws {
        let made = try await CastwayProcess(
            ["plugin", "new", "--lang", "python", "hello"], folder: self.folder.path
        ).result()
        #expect(made.status == 0)
        try await self.expectAnswers(
            Trial(
                folder: "Plugins/hello", command: ["python3", self.folder.file("Plugins/hello/plugin.py")],
                message: #"{"type":"HELLO","requestId":1}"#, answer: "WELCOME"))
    }

    @Test func aPluginInSwift() async throws {
        let quiz = URL(filePath: CastwayProcess.executable).deletingLastPathComponent().appending(path: "quiz").path
        try await self.expectAnswers(
            Trial(
                folder: Self.root.appending(path: "Plugins/quiz").path, command: [quiz],
                message: #"{"type":"JOIN","name":"player ROUND","requestId":1}"#, answer: "JOINED"))
    }

    /// Starts the plugin, asks it, kills it as one who debugs does, and does all of it again.
    private func expectAnswers(_ trial: Trial) async throws {
        let gateway = try CastwayProcess(
            ["plugin", "run", trial.folder, "--attach", "--no-deadlines", "--listen", "127.0.0.1:0"],
            environment: ["TMPDIR": "/tmp"], folder: self.folder.path)
        let summary = await gateway.wait(for: "Ctrl-C ends it.\n")
        let socket = String(try #require(summary.firstMatch(of: #/CASTWAY_CONNECT=(\S+)/#)).1)
        let kit = String(try #require(summary.firstMatch(of: #/PYTHONPATH=\S+/#)).0)
        let cast = try #require(summary.firstMatch(of: #/castway cast (\S+) send (\S+)/#))
        for round in 1...2 {
            let plugin = Process()
            plugin.executableURL = URL(filePath: "/usr/bin/env")
            plugin.arguments = ["CASTWAY_CONNECT=\(socket)", kit] + trial.command
            try await self.waitForSocket(socket)
            try plugin.run()
            let answer = try await self.ask(
                String(cast.1), String(cast.2),
                trial.message.replacing("ROUND", with: "\(round)"), until: trial.answer)
            #expect(answer.contains(trial.answer), "\(answer)")
            kill(plugin.processIdentifier, SIGKILL)
            plugin.waitUntilExit()
        }
        kill(gateway.id, SIGTERM)
        #expect(await gateway.result().status == 0)
    }

    /// Nothing tells a developer when the gateway listens again, either.
    private func waitForSocket(_ path: String) async throws {
        while !FileManager.default.fileExists(atPath: path) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Asks until the plugin has said its first words.
    private func ask(_ device: String, _ namespace: String, _ message: String, until word: String) async throws
        -> String
    {
        while true {
            let result = try await CastwayProcess([
                "cast", device, "send", namespace, message, "--app", "ABCD1234", "--timeout", "1s",
            ]).result()
            if result.output.contains(word) || Task.isCancelled { return result.output + result.errors }
        }
    }
}
