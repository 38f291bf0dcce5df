import Foundation
import Synchronization

/// What systemd is to a plugin that connects over a socket: it starts it, and starts it again whenever it has ended.
final class Outsider: Sendable {
    private struct State {
        /// Not waited for yet, so the id is its own.
        var process: pid_t?
        var isOver = false
    }

    private let arguments: [String]
    private let environment: [String]
    private let state = Mutex(State())
    /// No process is left when it is let through.
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter folder: the gateway's state.
    init(_ plugin: ChaosPlugin, folder: String) throws {
        let own = "\(folder)/outside/\(plugin.name)"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        // The limits of such a plugin are the outsider's affair.
        self.arguments = [
            "sh", "-c", "ulimit -v 400000; exec \"$@\" </dev/null >/dev/null 2>&1", "sh", plugin.kind.program ?? "",
            "--connect", "\(folder)/plugins/\(plugin.name).sock", plugin.point.rawValue, plugin.fault,
        ]
        self.environment = ["PATH=/usr/bin:/bin", "CASTWAY_PLUGIN_ID=\(plugin.id)", "CASTWAY_STATE_DIR=\(own)"]
        let thread = Thread {
            while let process = self.start() {
                var information = siginfo_t()
                // It is waited for twice: it must not be taken for running once its id can be another's.
                while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
                self.state.withLock { $0.process = nil }
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
            }
            self.ended.signal()
        }
        thread.start()
    }

    private func start() -> pid_t? {
        self.state.withLock { state in
            guard !state.isOver else { return nil }
            var process = pid_t()
            var arguments = self.arguments.map { strdup($0) } + [nil]
            var environment = self.environment.map { strdup($0) } + [nil]
            defer { for text in arguments + environment { free(text) } }
            guard posix_spawn(&process, "/bin/sh", nil, nil, &arguments, &environment) == 0 else { return nil }
            state.process = process
            return process
        }
    }

    /// Ends a process that hangs; the next one comes by itself.
    func replace() {
        self.state.withLock { state in
            if let process = state.process { kill(process, SIGKILL) }
        }
    }

    /// Ends it for good.
    func end() {
        let wasOver = self.state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        guard !wasOver else { return }
        self.replace()
        self.ended.wait()
    }
}
