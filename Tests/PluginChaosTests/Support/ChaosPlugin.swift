import Foundation

/// A plugin of the fixtures, and what it is to do wrong.
struct ChaosPlugin: Sendable {
    /// Where in its life it does it.
    enum Point: String, CaseIterable {
        case spawn, initialize, start, idle, message, drain, shutdown
    }

    /// What it is written in, or how it is connected.
    enum Kind: String, CaseIterable {
        case python, shell, swift, socket, module

        /// Those that are processes, started by the gateway or by the test.
        static let processes: [Kind] = [.python, .shell, .swift, .socket]

        /// The fixture's program; nil for a library.
        var program: String? {
            switch self {
            case .python, .socket: Self.fixtures.appending(path: "chaos.py").path
            case .shell: Self.fixtures.appending(path: "chaos.sh").path
            case .swift:
                URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "chaos-subject")
                    .standardized.path
            case .module: nil
            }
        }

        private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/plugins/chaos")
    }

    var kind = Kind.python
    var name = "chaos"
    var point = Point.message
    var fault = "none"
    /// What is wrong with the library of one that runs in process.
    var library = ChaosLibrary.sound
    /// What becomes of messages that it does not answer.
    var onFailure = "closed"
    var deadline = "10s"
    var startTimeout = "10s"

    /// The namespace that it owns.
    var namespace: String { "urn:x-cast:com.example.\(self.name)" }
    /// Its id and its folder's name.
    var id: String { "test.\(self.name)" }
    /// Whether what it does keeps it from answering and from ending, until it is killed.
    var isStuck: Bool { ["stop", "spin"].contains(self.fault) }

    /// Its `plugin.yaml`.
    var manifest: String {
        let program = self.kind.program.map { [$0, self.point.rawValue, self.fault].joined(separator: ", ") }
        return """
            manifest: 1
            id: \(self.id)
            version: "1"
            \(program.map { "exec: [\($0)]" } ?? "module: lib/module.so")
            claims: [{match: "\(self.namespace)", phase: handle}]
            """
    }

    /// What `gateway.yaml` says of it.
    var instance: String {
        """
            - name: \(self.name)
              plugin: \(self.id)
              \(self.kind == .socket ? "kind: socket" : "enabled: true")
              grant: {namespaces: [{match: "\(self.namespace)", phase: handle, deadline: \(self.deadline)}]}
              on_failure: \(self.onFailure)
              start_timeout: \(self.startTimeout)
              restart: {initial: 10ms, max: 100ms}
              drain: 500ms
              resources: {memory: 256MiB, open_files: 64, processes: 16}
        """
    }
}
