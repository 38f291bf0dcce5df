import CPluginModule

extension PluginLibrary {
    /// Opens an instance of the library's plugin. What it is handed stays as long as the process.
    /// - Parameters:
    ///   - context: the first argument of `send`.
    ///   - send: takes what the plugin says, from any thread.
    /// - Throws: ``Failure`` when it was made for another version, or cannot work here.
    func makePlugin(
        instance: String, context: UnsafeMutableRawPointer,
        send: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Void
    ) throws(Failure) -> cw_plugin {
        let own = UInt32(CASTWAY_PLUGIN_ABI)
        let host = UnsafeMutablePointer<cw_host>.allocate(capacity: 1)
        host.initialize(
            to: cw_host(
                abi: own, size: UInt32(MemoryLayout<cw_host>.size), ctx: context, send: send,
                instance: Self.copy(instance)))
        var plugin = cw_plugin()
        plugin.abi = own
        plugin.size = UInt32(MemoryLayout<cw_plugin>.size)
        let status = self.open(host, &plugin)
        guard status == CASTWAY_PLUGIN_OK else {
            let reason =
                status == CASTWAY_PLUGIN_WRONG_ABI
                ? "was made for another version of the module interface; this Castway has \(own)"
                : "says that it cannot work here (\(status)); its reason stands in the log"
            throw Failure(description: "\(self.path) \(reason)")
        }
        guard plugin.abi == own else {
            let text = "was made for version \(plugin.abi) of the module interface; this Castway has \(own)"
            throw Failure(description: "\(self.path) \(text)")
        }
        guard plugin.size >= UInt32(MemoryLayout<cw_plugin>.size), plugin.receive != nil, plugin.close != nil else {
            throw Failure(description: "\(self.path) does not fill in what it must")
        }
        return plugin
    }

    private static func copy(_ text: String) -> UnsafePointer<CChar> {
        let bytes = Array(text.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        return UnsafePointer(copy)
    }
}
