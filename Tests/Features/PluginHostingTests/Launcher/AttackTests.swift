import CastwayTestSupport
import Foundation
import Glibc
import Testing

@testable import PluginHosting

/// What a hostile plugin tries against the gateway, its state and its admin socket: `attacks.py`, for real, with a process of
/// the same user in the gateway's place.
@Suite(.serialized, .timeLimit(.minutes(2))) struct AttackTests {
    /// What came of each attack: nil when it succeeded, otherwise the number of the error.
    private struct Outcome {
        var errors: [String: Int32?] = [:]
        /// Lines of proc(5), `status`.
        var status: [String: UInt64] = [:]
        var reports: [String] = []

        /// Those of some attacks that did not fail with this error.
        func unrefused(_ names: [String], by error: Int32) -> [String] {
            names.filter { self.errors[$0] != .some(.some(error)) }
        }

        /// Those of some attacks that failed.
        func failed(_ names: [String]) -> [String] { names.filter { self.errors[$0] != .some(.none) } }
    }

    private static let noFilter: Comment = "the kernel has no seccomp filters"
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "attacks.py").path

    private static let onOthers = ["prlimit", "sched_setaffinity", "sched_setscheduler", "setpriority", "ioprio_set"]
    private static let memory = [
        "pidfd_getfd", "process_vm_readv", "kcmp", "migrate_pages", "ptrace", "perf_event_open",
    ]
    private static let kernel = ["unshare", "keyctl", "userfaultfd", "bpf", "mount"]
    private static let signals = ["kill", "sigqueue"]
    private static let onOneself = [
        "own prlimit", "own prlimit by id", "own sched_setaffinity", "own setpriority", "own kill", "unix stream pair",
        "own private mmap",
    ]
    private static let strange = ["unix", "unix datagram pair", "netlink audit", "vsock", "alg"]
    private static let internet = ["tcp", "udp6", "netlink route"]
    private static let sharedMemory = ["shmget", "msgget", "semget", "mq_open", "memfd_create", "shared mmap"]
    private static let attributes = [
        "chmod", "chmod folder", "fchmodat2", "chown", "lchown", "setxattr", "utime",
    ]

    private static func run(_ sandbox: String, network: String = "any") async throws -> Outcome {
        try await TemporaryFolder.with { folder in
            for name in ["own", "state"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file(name), withIntermediateDirectories: true)
            }
            try folder.write("keys", to: "castway.db")
            let admin = try UnixListener(at: folder.file("admin.sock"))
            defer { admin.close() }
            let gateway = Process()
            gateway.executableURL = URL(filePath: "/bin/sleep")
            gateway.arguments = ["1000"]
            // What it holds of this process would outlive the tests if it did.
            gateway.standardOutput = FileHandle.nullDevice
            gateway.standardError = FileHandle.nullDevice
            try gateway.run()
            // It may have been born with SIGTERM blocked.
            defer { kill(gateway.processIdentifier, SIGKILL) }
            let options = [
                "--sandbox", sandbox, "--network", network, "--directory", folder.file("own"), "--readable",
                Self.script, "--state-directory", folder.file("state"),
            ]
            let ended = try LaunchedProcess(
                options,
                [
                    "/usr/bin/python3", Self.script, "\(gateway.processIdentifier)", folder.path,
                    folder.file("admin.sock"),
                ]
            ).outcome()
            #expect(ended.reports.contains("exited 0"), "\(ended)")
            return Self.read(ended)
        }
    }

    private static func read(_ ended: LaunchedProcess.Outcome) -> Outcome {
        var outcome = Outcome()
        outcome.reports = ended.reports
        for line in ended.output.split(separator: "\n") {
            if let match = line.wholeMatch(of: #/(.+?) (yes|no)(?: (\d+))?/#) {
                outcome.errors[String(match.1)] = .some(match.3.flatMap { Int32($0) })
            } else if let match = line.wholeMatch(of: #/(\S+) (\d+)/#) {
                outcome.status[String(match.1)] = UInt64(match.2)
            }
        }
        return outcome
    }

    /// That the attacks are ones: without a sandbox they succeed.
    @Test func withoutASandboxTheySucceed() async throws {
        let outcome = try await Self.run("none")
        let attacks =
            Self.onOthers + ["kill", "unix", "environ", "processes"] + Self.sharedMemory.filter { $0 != "mq_open" }
            + Self.attributes.filter { !["setxattr", "fchmodat2"].contains($0) }
        #expect(outcome.failed(attacks + Self.onOneself + Self.internet).isEmpty, "\(outcome)")
    }

    @Test(.enabled(if: Enforcement.ofCalls, AttackTests.noFilter), arguments: ["basic", "strict"])
    func otherProcessesAreOutOfReach(sandbox: String) async throws {
        let outcome = try await Self.run(sandbox)
        #expect(outcome.unrefused(Self.onOthers + Self.memory + Self.kernel, by: EPERM).isEmpty, "\(outcome)")
        #expect(outcome.failed(Self.onOneself).isEmpty, "\(outcome)")
    }

    @Test(
        .enabled(if: Enforcement.ofSignals, "the kernel's Landlock knows no scopes for signals"),
        arguments: ["basic", "strict"])
    func signalsReachWhatDescendsFromIt(sandbox: String) async throws {
        let outcome = try await Self.run(sandbox)
        #expect(outcome.unrefused(Self.signals, by: EPERM).isEmpty, "\(outcome)")
        #expect(outcome.failed(["own kill"]).isEmpty, "\(outcome)")
    }

    @Test(.enabled(if: Enforcement.ofCalls, AttackTests.noFilter), arguments: ["basic", "strict"])
    func whatIsUnknownOrPassesFiltersIsNotThere(sandbox: String) async throws {
        let outcome = try await Self.run(sandbox)
        #expect(outcome.unrefused(["io_uring", "clone3", "x32", "setxattrat"], by: ENOSYS).isEmpty, "\(outcome)")
    }

    @Test(.enabled(if: Enforcement.ofCalls, AttackTests.noFilter), arguments: ["basic", "strict"], ["none", "any"])
    func socketsAreThoseOfTheGrant(sandbox: String, network: String) async throws {
        let outcome = try await Self.run(sandbox, network: network)
        #expect(outcome.unrefused(Self.strange, by: EACCES).isEmpty, "\(outcome)")
        if network == "any" {
            #expect(outcome.failed(Self.internet).isEmpty, "\(outcome)")
        } else {
            #expect(outcome.unrefused(Self.internet, by: EACCES).isEmpty, "\(outcome)")
        }
    }

    /// Programs read the state of their own threads in /proc; of others there is nothing to be had that a tracer would need.
    @Test(.enabled(if: Enforcement.ofFiles, "the kernel has no Landlock")) func strictReadsNoProcessOfOthers()
        async throws
    {
        let outcome = try await Self.run("strict")
        #expect(outcome.unrefused(["environ", "processes"], by: EACCES).isEmpty, "\(outcome)")
    }

    @Test(.enabled(if: Enforcement.ofCalls, AttackTests.noFilter)) func strictChangesNobodysRights() async throws {
        let outcome = try await Self.run("strict")
        #expect(outcome.unrefused(Self.attributes, by: EPERM).isEmpty, "\(outcome)")
    }

    @Test(.enabled(if: Enforcement.ofCalls, AttackTests.noFilter)) func strictHasNoMemoryThatIsNotCounted() async throws
    {
        let outcome = try await Self.run("strict")
        #expect(outcome.unrefused(Self.sharedMemory, by: EPERM).isEmpty, "\(outcome)")
    }

    @Test(arguments: ["basic", "strict"]) func noPrivilegeIsLeft(sandbox: String) async throws {
        let status = try await Self.run(sandbox).status
        for name in ["CapInh", "CapPrm", "CapEff", "CapAmb"] { #expect(status[name] == 0, "\(name)") }
        // Only root may take from that set, and who is not has nothing to gain from it without new privileges.
        if geteuid() == 0 { #expect(status["CapBnd"] == 0) }
        #expect(status["NoNewPrivs"] == 1)
    }
}

/// A stream socket in the file system that accepts what comes, as the admin socket does.
private final class UnixListener: Sendable {
    struct Failure: Error {}

    private let descriptor: Int32

    init(at path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Failure() }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        self.descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(self.descriptor, $0, size) == 0 }
        }
        guard isBound, listen(self.descriptor, 8) == 0 else { throw Failure() }
    }

    func close() { _ = Glibc.close(self.descriptor) }
}
