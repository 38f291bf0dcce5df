import CastwayTestSupport
import Foundation
import Glibc
import Testing

@testable import PluginHosting

/// What `castway-launch` does with real processes.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LauncherTests {
    private static let basic = ["--sandbox", "basic", "--directory", "/tmp"]

    private static func shell(_ script: String, _ options: [String] = basic) throws -> LaunchedProcess {
        try LaunchedProcess(options, ["/bin/sh", "-c", script])
    }

    /// A word that no other process has in its command line.
    private static func mark() -> String { "mark\(UInt32.random(in: .min ... .max))" }

    @Test func theProgramSpeaksOnItsWireAndItsEndIsReported() throws {
        let outcome = try Self.shell("read line; echo \"got $line\"; echo complaint >&2; exit 7").speaking("hello\n")
        #expect(outcome.output == "got hello\n")
        #expect(outcome.errors == "complaint\n")
        #expect(outcome.reports.contains("exited 7"))
        #expect(outcome.reports.last == "gone")
        #expect(outcome.reports.contains { $0.hasPrefix("started ") })
    }

    @Test func aSignalIsReported() throws {
        let outcome = try Self.shell("kill -SEGV $$").outcome()
        #expect(outcome.reports.contains("signal 11"))
    }

    @Test func nothingOfTheGatewaysIsInherited() throws {
        let secret = open("/etc/hostname", O_RDONLY)
        defer { close(secret) }
        let process = try LaunchedProcess(
            Self.basic, ["/bin/sh", "-c", "ls /proc/self/fd; env"], environment: ["ONLY": "this"],
            launcherEnvironment: ["LAUNCHER": "1"])
        let lines = process.outcome().output.split(separator: "\n")
        // 3 is the folder that ls reads.
        #expect(lines.prefix { $0.allSatisfy(\.isNumber) } == ["0", "1", "2", "3"])
        #expect(Set(lines.filter { $0.contains("=") }.map { $0.prefix { $0 != "=" } }) == ["ONLY", "PWD"])
    }

    @Test func limitsHold() throws {
        let options =
            Self.basic + ["--memory", "67108864", "--open-files", "40"]
        let script = "ulimit -c; ulimit -d; ulimit -n; cat /proc/self/status"
        let output = try Self.shell(script, options).outcome().output
        #expect(output.hasPrefix("0\n65536\n40\n"))
        #expect(output.contains("NoNewPrivs:\t1"))
    }

    @Test func moreMemoryThanAllowedIsRefused() throws {
        let grow = "import sys\ntry:\n  x = bytearray(1 << 30)\n  print('had')\nexcept MemoryError:\n  print('refused')"
        let process = try LaunchedProcess(
            Self.basic + ["--memory", "134217728"], ["/usr/bin/python3", "-c", grow])
        #expect(process.outcome().output == "refused\n")
    }

    /// The loader acts on such variables before the first instruction of a program, so the launcher must never have them.
    @Test func whatTheLoaderDoesHappensInTheSandbox() async throws {
        try await TemporaryFolder.with { folder in
            for path in ["own", "outside"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file(path), withIntermediateDirectories: true)
            }
            let process = try LaunchedProcess(
                ["--sandbox", "strict", "--directory", folder.file("own")], ["/bin/sh", "-c", "echo up"],
                environment: ["LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": folder.file("outside/trace")])
            let outcome = process.outcome()
            // A trace that has no file goes to the output.
            #expect(outcome.output.hasSuffix("up\n"))
            let traces = try FileManager.default.contentsOfDirectory(atPath: folder.file("outside"))
            let plugin = outcome.reports.first { $0.hasPrefix("started ") }?.dropFirst("started ".count)
            #expect(!traces.contains("trace.\(process.id)"))
            #expect(Enforcement.ofFiles ? traces.isEmpty : traces.allSatisfy { $0 == "trace.\(plugin ?? "")" })
        }
    }

    @Test func anEnvironmentThatDoesNotComeWholeStartsNothing() throws {
        let process = try LaunchedProcess(Self.basic, ["/bin/true"], missing: 1)
        process.cutLifeline()
        let outcome = process.outcome()
        #expect(!outcome.reports.contains { $0.hasPrefix("started") })
        #expect(outcome.status != 0)
    }

    @Test func theCutLifelineEndsDaemonsThatIgnoreSignals() throws {
        let mark = Self.mark()
        let stubborn = "trap '' TERM; echo up; while :; do sleep 1000; done # \(mark)"
        let process = try Self.shell(
            "trap '' TERM HUP; setsid sh -c \"\(stubborn)\" & (setsid sh -c \"\(stubborn)\" &) ; wait; sleep 1000",
            Self.basic + ["--grace", "100"])
        #expect(process.line() == "up")
        #expect(process.line() == "up")
        #expect(ProcessTable.processes(with: mark).count >= 3)
        process.cutLifeline()
        _ = process.outcome()
        #expect(ProcessTable.processes(with: mark).isEmpty)
    }

    @Test func daemonsEndWithTheProgram() throws {
        let mark = Self.mark()
        let process = try Self.shell(
            "(setsid sh -c 'trap \"\" TERM; echo up; while :; do sleep 1000; done # \(mark)' &) ; read line; exit 0")
        #expect(process.line() == "up")
        let outcome = process.speaking("\n")
        #expect(outcome.reports.contains("exited 0"))
        #expect(outcome.reports.last == "gone")
        #expect(ProcessTable.processes(with: mark).isEmpty)
    }

    @Test func aStoppedProgramIsEnded() throws {
        for command in ["T", "K"] {
            let process = try Self.shell("echo up; kill -STOP $$; exit 0")
            #expect(process.line() == "up")
            process.command(command)
            let end = process.outcome().reports.first { $0.hasPrefix("signal") }
            #expect(end == (command == "T" ? "signal 15" : "signal 9"))
        }
    }

    @Test func aGentleEndLetsTheProgramDecide() throws {
        let process = try Self.shell("trap 'exit 3' TERM; echo up; while :; do sleep 0.01; done")
        #expect(process.line() == "up")
        process.command("T")
        #expect(process.outcome().reports.contains("exited 3"))
    }

    @Test(arguments: ["yes", "no"]) func aForkBombIsContained(cgroup: String) throws {
        let mark = Self.mark()
        // A shell forks until it must not; each child stays. The bomb itself is bounded, should the limit not hold.
        let bomb = "i=0; while [ $i -lt 600 ]; do sh -c 'sleep 1000 # \(mark)' & i=$((i+1)); done; echo all; wait"
        let process = try Self.shell(bomb, Self.basic + ["--processes", "30", "--cgroup", cgroup])
        // Which of the two ways it is depends on the machine; the launcher says so.
        let way = process.report("enforced processes", or: "unenforced processes")
        #expect(cgroup == "yes" || way?.hasPrefix("unenforced") == true)
        #expect(process.report("started") != nil)
        let outcome: LaunchedProcess.Outcome
        if way?.hasPrefix("enforced") == true {
            // The kernel refuses; the shell says so and goes on or gives up.
            _ = process.report("exited")
            outcome = process.outcome()
            #expect(outcome.errors.contains("fork"))
        } else {
            #expect(process.report("killed processes") != nil)
            outcome = process.outcome()
        }
        #expect(!outcome.output.contains("all"))
        #expect(ProcessTable.processes(with: mark).isEmpty)
    }

    @Test(.enabled(if: Enforcement.ofCalls, "the kernel has no seccomp filters"))
    func theSandboxLeavesTheOwnFolderAndTheState() async throws {
        try await TemporaryFolder.with { folder in
            let (own, state) = (folder.file("own"), folder.file("state"))
            for path in [own, state] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            try folder.write("mine", to: "own/data")
            try folder.write("theirs", to: "other")
            let probe = """
                import os, socket, sys
                def tried(name, what):
                    try:
                        what()
                        print(name, "yes")
                    except OSError as error:
                        print(name, "no")
                tried("read own", lambda: open("\(own)/data").read())
                tried("write own", lambda: open("\(own)/new", "w"))
                tried("write state", lambda: open("\(state)/new", "w"))
                tried("read other", lambda: open("\(folder.path)/other").read())
                tried("list root", lambda: os.listdir("/"))
                tried("read shadow", lambda: open("/etc/shadow").read())
                tried("tcp", lambda: socket.socket())
                tried("unix", lambda: socket.socket(socket.AF_UNIX))
                tried("pair", lambda: socket.socketpair())
                tried("signal parent", lambda: os.kill(os.getppid(), 0))
                tried("environment of parent", lambda: open(f"/proc/{os.getppid()}/environ").read())
                """
            let options = ["--sandbox", "strict", "--directory", own, "--state-directory", state, "--network"]
            let shut = try LaunchedProcess(options + ["none"], ["/usr/bin/python3", "-c", probe]).outcome()
            let open = try LaunchedProcess(options + ["any"], ["/usr/bin/python3", "-c", probe]).outcome()
            #expect(Self.answers(shut)["read own"] == "yes")
            #expect(Self.answers(shut)["write state"] == "yes")
            #expect(Self.answers(shut)["tcp"] == "no")
            #expect(Self.answers(shut)["unix"] == "no")
            #expect(Self.answers(shut)["pair"] == "yes")
            #expect(Self.answers(open)["tcp"] == "yes")
            guard !shut.reports.contains(where: { $0.hasPrefix("unenforced files") }) else { return }
            for denied in ["write own", "read other", "list root", "read shadow", "environment of parent"] {
                #expect(Self.answers(shut)[denied] == "no", "\(denied)")
            }
            let hasScopes = !shut.reports.contains { $0.hasPrefix("unenforced signals") }
            #expect(Self.answers(shut)["signal parent"] == (hasScopes ? "no" : "yes"))
        }
    }

    private static func answers(_ outcome: LaunchedProcess.Outcome) -> [String: String] {
        Dictionary(
            outcome.output.split(separator: "\n").map { line in
                let words = line.split(separator: " ")
                return (words.dropLast().joined(separator: " "), String(words.last ?? ""))
            }, uniquingKeysWith: { first, _ in first })
    }

    @Test func whatCannotBeEnforcedIsSaid() throws {
        let options = ["--sandbox", "strict", "--directory", "/tmp", "--network", "loopback", "--processes", "9"]
        let outcome = try Self.shell("exit 0", options + ["--cgroup", "no"]).outcome()
        #expect(outcome.reports.contains { $0.hasPrefix("unenforced network ") })
        #expect(outcome.reports.contains { $0.hasPrefix("unenforced processes ") })
    }

    @Test(arguments: [
        (["/nowhere/program"], "failed exec No such file or directory"),
        (["program"], "failed options the program must be an absolute path"),
        ([], "failed options no program: castway-launch OPTIONS -- PROGRAM ARGUMENTS"),
    ]) func whatCannotBeStartedIsSaid(command: [String], report: String) throws {
        let outcome = try LaunchedProcess(Self.basic, command).outcome()
        #expect(outcome.reports.contains(report))
        #expect(!outcome.reports.contains { $0.hasPrefix("started") })
        #expect(outcome.status != 0)
    }

    @Test(arguments: [
        ["--sandbox", "tight"], ["--environment", "131073"], ["--state", "1MiB"], ["--memory", "-1"],
        ["--memory", "1x"], ["--processes"], ["--what", "x"],
    ]) func wrongOptionsAreRefused(options: [String]) throws {
        let outcome = try LaunchedProcess(options, ["/bin/true"]).outcome()
        #expect(outcome.reports.count == 1)
        #expect(outcome.reports.first?.hasPrefix("failed options ") == true)
    }

    @Test(arguments: [false, true]) func everythingDiesWithTheLauncher(isGuard: Bool) throws {
        let mark = Self.mark()
        let process = try Self.shell(
            "echo up; (setsid sh -c 'sleep 1000; : # \(mark)' &); while :; do sleep 1000; done # \(mark)")
        #expect(process.line() == "up")
        let guards = ProcessTable.children(of: process.id)
        #expect(guards.count == 1)
        kill(isGuard ? try #require(guards.first) : process.id, SIGKILL)
        let outcome = process.outcome()
        #expect(outcome.reports.contains("gone") == !isGuard)
        #expect(ProcessTable.processes(with: mark).isEmpty)
    }
}

extension LaunchedProcess {
    /// Says something to the plugin, and reads everything to the end.
    fileprivate func speaking(_ text: String) -> Outcome {
        self.say(text)
        return self.outcome()
    }
}
