import CastwayTestSupport
import Foundation
import Glibc
import Testing

@testable import PluginHosting

/// That programs of several runtimes do their work in every sandbox: threads, child processes, pipes, and machine code that they
/// make themselves.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RuntimeTests {
    private static let nodePath: String? = ["/usr/bin/node", "/usr/local/bin/node"].first {
        access($0, X_OK) == 0
    }
    /// A program in Swift that is built with the tests.
    private static let subject = URL(filePath: LauncherPath.found).deletingLastPathComponent().appending(
        path: "plugin-subject"
    )
    .path

    /// Where the libraries of Swift are, by proc(5), `maps` of this process.
    private static let libraries: String = {
        // A file handle reads to the end, whatever size the file system names.
        let maps = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()
        let lines = String(decoding: maps ?? Data(), as: UTF8.self).split(separator: "\n")
        guard let path = lines.first(where: { $0.hasSuffix("/libswiftCore.so") })?.drop(while: { $0 != "/" }) else {
            return "/usr/lib"
        }
        return String(path.dropLast("/libswiftCore.so".count))
    }()

    private static func run(
        _ command: [String], sandbox: String, network: String, input: String = ""
    ) async throws -> LaunchedProcess.Outcome {
        try await TemporaryFolder.with { folder in
            for name in ["own", "state"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file(name), withIntermediateDirectories: true)
            }
            let built = URL(filePath: Self.subject).deletingLastPathComponent().path
            let process = try LaunchedProcess(
                [
                    "--sandbox", sandbox, "--network", network, "--directory", folder.file("own"), "--readable", built,
                    "--readable", Self.libraries,
                    "--state-directory", folder.file("state"), "--open-files", "64", "--processes", "64", "--cgroup",
                    "no",
                ], command,
                environment: [
                    "PATH": "/usr/bin:/bin:/usr/local/bin", "TMPDIR": folder.file("state"),
                    "HOME": folder.file("state"),
                    "CASTWAY_PLUGIN_COOKIE": "castway-plugin",
                ])
            process.say(input)
            process.endSpeaking()
            return process.outcome()
        }
    }

    @Test(arguments: ["basic", "strict"], ["none", "any"]) func python(sandbox: String, network: String) async throws {
        let program = """
            import concurrent.futures, json, multiprocessing, os, signal, sqlite3, ssl, subprocess, tempfile, threading
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                assert sum(pool.map(lambda x: x * x, range(100))) == 328350
            assert subprocess.run(["sh", "-c", "echo $((6 * 7))"], capture_output=True).stdout == b"42\\n"
            here, there = multiprocessing.Pipe()
            process = multiprocessing.Process(target=there.send, args=(42,))
            process.start()
            assert here.recv() == 42 and process.join() is None
            with tempfile.NamedTemporaryFile("w+") as file:
                file.write("text")
            database = sqlite3.connect(os.environ["HOME"] + "/notes.db")
            database.execute("CREATE TABLE note (text TEXT)")
            database.commit()
            child = subprocess.Popen(["sleep", "1000"])
            child.terminate()
            assert child.wait() == -signal.SIGTERM
            ssl.create_default_context()
            print("done")
            """
        let outcome = try await Self.run(["/usr/bin/python3", "-c", program], sandbox: sandbox, network: network)
        #expect(outcome.output == "done\n", "\(outcome)")
    }

    @Test(arguments: ["basic", "strict"], ["none", "any"]) func shell(sandbox: String, network: String) async throws {
        let program = """
            set -e
            (sleep 1000 & kill $!; wait $! || true) 2>/dev/null
            printf 'b\\na\\n' | sort | head -n 1 > $HOME/first
            mkdir $HOME/folder && mv $HOME/first $HOME/folder/ && cat $HOME/folder/first
            """
        let outcome = try await Self.run(["/bin/sh", "-c", program], sandbox: sandbox, network: network)
        #expect(outcome.output == "a\n", "\(outcome)")
    }

    @Test(arguments: ["basic", "strict"], ["none", "any"]) func swift(sandbox: String, network: String) async throws {
        let initialize = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#
        // Many times: the runtime looks after its threads by a timer, so what it does depends on the moment.
        for _ in 0..<20 {
            let outcome = try await Self.run(
                [Self.subject], sandbox: sandbox, network: network, input: initialize + "\n")
            // It speaks, whatever it thinks of what it was told.
            #expect(outcome.output.contains(#""jsonrpc":"2.0""#), "\(outcome)")
            #expect(!outcome.reports.contains { $0.hasPrefix("signal") }, "\(outcome)")
        }
    }

    /// A compiler at run time writes machine code and runs it.
    @Test(
        .enabled(if: RuntimeTests.nodePath != nil, "node, a runtime that compiles as it runs, is missing"),
        arguments: ["basic", "strict"], ["none", "any"])
    func node(sandbox: String, network: String) async throws {
        let program = """
            const { Worker } = require("worker_threads");
            const fs = require("fs");
            let sum = 0;
            const add = (a, b) => (a + b) | 0;
            for (let i = 0; i < 3e6; i++) sum = add(sum, i);
            fs.writeFileSync(process.env.HOME + "/sum", String(sum));
            const child = require("child_process").execFileSync("/bin/echo", ["child"]).toString().trim();
            new Worker("require('worker_threads').parentPort.postMessage('worker')", { eval: true })
              .on("message", (word) => fs.readFile(process.env.HOME + "/sum", () => console.log(child, word)));
            """
        let command = [try #require(Self.nodePath), "-e", program]
        let outcome = try await Self.run(command, sandbox: sandbox, network: network)
        #expect(outcome.output == "child worker\n", "\(outcome)")
    }
}
