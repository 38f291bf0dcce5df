/// How much of the machine a plugin's process may use. 0 is no limit.
public struct PluginResources: Sendable, Hashable {
    /// Private memory, in bytes.
    public var memory: Int
    /// Open descriptors.
    public var openFiles: Int
    /// Processes and threads, its own included.
    public var processes: Int

    /// Takes the defaults of `gateway.yaml` where nothing is said.
    public init(memory: Int = 128 << 20, openFiles: Int = 64, processes: Int = 32) {
        self.memory = memory
        self.openFiles = openFiles
        self.processes = processes
    }
}
