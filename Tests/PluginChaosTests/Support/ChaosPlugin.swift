/// A plugin of `Tests/Fixtures/plugins/chaos` and what it is to do wrong.
struct ChaosPlugin {
    /// Where in its life it does it.
    enum Point: String, CaseIterable {
        case spawn, initialize, start, idle, message, drain, shutdown
    }

    /// What it is written in, or how it is connected.
    enum Kind: String, CaseIterable {
        case python, shell, module

        /// The program and its arguments up to what is to go wrong; nil for one that is not started by the gateway.
        var command: [String]? {
            switch self {
            case .python: ["chaos.py"]
            case .shell: ["chaos.sh"]
            case .module: nil
            }
        }
    }

    var kind = Kind.python
    var name = "chaos"
    var point = Point.message
    var fault = "none"
    /// What is wrong with the library of one that runs in process.
    var library = ChaosLibrary.sound
    /// What becomes of messages that it does not answer.
    var onFailure = "closed"
    var deadline = "5s"
    var startTimeout = "10s"
    var resources = "{memory: 256MiB, open_files: 64, processes: 16}"

    /// The namespace that it owns.
    var namespace: String { "urn:x-cast:com.example.\(self.name)" }
    /// Its id and its folder's name.
    var id: String { "test.\(self.name)" }

    /// Its `plugin.yaml`.
    var manifest: String {
        let program =
            switch self.kind.command {
            case .some(let command): "exec: [\((command + [self.point.rawValue, self.fault]).joined(separator: ", "))]"
            case .none: self.kind == .module ? "module: lib/module.so" : ""
            }
        return """
            manifest: 1
            id: \(self.id)
            version: "1"
            \(program)
            claims: [{match: "\(self.namespace)", phase: handle}]
            """
    }

    /// What `gateway.yaml` says of it.
    var instance: String {
        """
            - name: \(self.name)
              plugin: \(self.id)
              grant: {namespaces: [{match: "\(self.namespace)", phase: handle, deadline: \(self.deadline)}]}
              on_failure: \(self.onFailure)
              start_timeout: \(self.startTimeout)
              restart: {initial: 10ms, max: 100ms}
              drain: 500ms
              resources: \(self.resources)
        """
    }
}
