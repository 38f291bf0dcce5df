/// How much of the machine a plugin's process may use. 0 is no limit.
public struct PluginResources: Sendable, Hashable {
    /// Private memory, in bytes.
    public var memory: Int
    /// Open descriptors.
    public var openFiles: Int
    /// Processes and threads, its own included.
    public var processes: Int

    /// What its state folder holds, and one file that it writes, in bytes.
    public var state: Int
    /// Files and folders in its state folder.
    public var stateFiles: Int

    /// Takes the defaults of `gateway.yaml` where nothing is said.
    public init(
        memory: Int = 128 << 20, openFiles: Int = 64, processes: Int = 32, state: Int = 64 << 20,
        stateFiles: Int = 10_000
    ) {
        self.memory = memory
        self.openFiles = openFiles
        self.processes = processes
        self.state = state
        self.stateFiles = stateFiles
    }
}
