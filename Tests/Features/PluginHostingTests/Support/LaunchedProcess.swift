import Foundation
import Glibc
import NIOCore

@testable import PluginHosting

/// `castway-launch` with a program under it, driven as the gateway does.
final class LaunchedProcess: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        var reports: [String] = []
        var output = ""
        var errors = ""
        var status: Int32 = -1
    }

    struct NotStarted: Error {}

    let id: pid_t
    private let wire: Int32
    private let lifeline: Int32
    private let errors: Int32

    /// Starts the launcher.
    /// - Parameters:
    ///   - environment: the plugin's.
    ///   - launcherEnvironment: the launcher's own, which the gateway leaves empty.
    ///   - missing: bytes of the plugin's environment that are announced and do not come.
    init(
        _ options: [String], _ command: [String], environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        launcherEnvironment: [String: String] = [:], missing: Int = 0
    ) throws {
        var wire: [Int32] = [-1, -1]
        var lifeline: [Int32] = [-1, -1]
        var errors: [Int32] = [-1, -1]
        let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, stream, 0, &wire) == 0, socketpair(AF_UNIX, stream, 0, &lifeline) == 0,
            pipe(&errors) == 0
        else { throw NotStarted() }
        for end in errors { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, wire[1], 0)
        posix_spawn_file_actions_adddup2(&actions, lifeline[1], 1)
        posix_spawn_file_actions_adddup2(&actions, errors[1], 2)
        let block = environment.sorted { $0.key < $1.key }.flatMap { "\($0)=\($1)".utf8 + [0] }
        let arguments = [LauncherPath.found] + options + ["--environment", "\(block.count + missing)", "--"] + command
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = launcherEnvironment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var id: pid_t = 0
        guard posix_spawn(&id, LauncherPath.found, &actions, nil, &argv, &envp) == 0 else { throw NotStarted() }
        for end in [wire[1], lifeline[1], errors[1]] { close(end) }
        self.id = id
        self.wire = wire[0]
        self.lifeline = lifeline[0]
        self.errors = errors[0]
        // What refuses its options reads nothing.
        _ = block.withUnsafeBytes { send(self.lifeline, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Sends commands over the lifeline.
    func command(_ text: String) {
        _ = text.withCString { write(self.lifeline, $0, strlen($0)) }
    }

    /// Cuts the lifeline, as the gateway's death does.
    func cutLifeline() { shutdown(self.lifeline, Int32(SHUT_RDWR)) }

    /// Says something to the plugin.
    func say(_ text: String) {
        _ = text.withCString { write(self.wire, $0, strlen($0)) }
    }

    /// Lets the plugin read the end of its input.
    func endSpeaking() { shutdown(self.wire, Int32(SHUT_WR)) }

    /// Waits for a line of the plugin's on its wire.
    func line() -> String { Self.read(self.wire, until: "\n") }

    /// Waits for a report that begins so.
    func report(_ prefix: String, or other: String? = nil) -> String? {
        while true {
            let line = Self.read(self.lifeline, until: "\n")
            let isIt = line.hasPrefix(prefix) || other.map { line.hasPrefix($0) } == true
            if line.isEmpty || isIt { return line.isEmpty ? nil : line }
        }
    }

    /// Reads everything to the end, and reaps the launcher.
    func outcome() -> Outcome {
        var outcome = Outcome()
        outcome.reports = Self.read(self.lifeline, until: nil).split(separator: "\n").map(String.init)
        outcome.output = Self.read(self.wire, until: nil)
        outcome.errors = Self.read(self.errors, until: nil)
        waitpid(self.id, &outcome.status, 0)
        for end in [self.wire, self.lifeline, self.errors] { close(end) }
        return outcome
    }

    private static func read(_ descriptor: Int32, until end: Character?) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while Glibc.read(descriptor, &byte, 1) == 1 {
            if let end, byte == end.asciiValue { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
