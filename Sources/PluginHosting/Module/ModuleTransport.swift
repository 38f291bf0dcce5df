import CPluginModule
import NIOCore
import PluginKit

/// Carries a plugin's lines over the functions of a module in the gateway's own process; on the wire's event loop.
final class ModuleTransport: PluginTransport {
    private let wire: PluginWire
    private var plugin: cw_plugin
    private var isOpen = true

    private init(wire: PluginWire, plugin: cw_plugin) {
        self.wire = wire
        self.plugin = plugin
    }

    /// Opens an instance of a library's plugin.
    /// - Throws: `PluginLibrary.Failure` when it was made for another version, or cannot work here.
    static func open(_ library: PluginLibrary, instance: String, wire: PluginWire) throws(PluginLibrary.Failure) {
        // Both stay as long as the process: a module that speaks behind its end must find somebody.
        let mailbox = Unmanaged.passRetained(ModuleMailbox(wire))
        let host = UnsafeMutablePointer<cw_host>.allocate(capacity: 1)
        host.initialize(
            to: cw_host(
                abi: UInt32(CASTWAY_PLUGIN_ABI), size: UInt32(MemoryLayout<cw_host>.size), ctx: mailbox.toOpaque(),
                send: { context, lines, length in
                    guard let context, let lines, length > 0 else { return }
                    let bytes = UnsafeRawBufferPointer(start: lines, count: length)
                    Unmanaged<ModuleMailbox>.fromOpaque(context).takeUnretainedValue().take(ByteBuffer(bytes: bytes))
                }, instance: Self.copy(instance)))
        var plugin = cw_plugin()
        plugin.abi = UInt32(CASTWAY_PLUGIN_ABI)
        plugin.size = UInt32(MemoryLayout<cw_plugin>.size)
        let status = library.open(host, &plugin)
        guard status == CASTWAY_PLUGIN_OK else {
            let reason =
                status == CASTWAY_PLUGIN_WRONG_ABI
                ? "was made for another version of the module interface; this Castway has \(CASTWAY_PLUGIN_ABI)"
                : "says that it cannot work here (\(status)); its reason stands in the log"
            throw PluginLibrary.Failure(description: "\(library.path) \(reason)")
        }
        guard plugin.abi == UInt32(CASTWAY_PLUGIN_ABI) else {
            throw PluginLibrary.Failure(
                description:
                    "\(library.path) was made for version \(plugin.abi) of the module interface; this Castway has \(CASTWAY_PLUGIN_ABI)"
            )
        }
        guard plugin.size >= UInt32(MemoryLayout<cw_plugin>.size), plugin.receive != nil, plugin.close != nil else {
            throw PluginLibrary.Failure(description: "\(library.path) does not fill in what it must")
        }
        wire.transport = ModuleTransport(wire: wire, plugin: plugin)
    }

    private static func copy(_ text: String) -> UnsafePointer<CChar> {
        let bytes = Array(text.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        return UnsafePointer(copy)
    }

    func write(_ lines: ByteBuffer) {
        let count = lines.readableBytes
        guard self.isOpen else { return self.wire.written(count) }
        let status = lines.withUnsafeReadableBytes { bytes in
            self.plugin.receive(
                self.plugin.`self`, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        self.wire.written(count)
        if status != 0 { self.close() }
    }

    func endWriting() {
        self.close()
    }

    func close() {
        guard self.isOpen else { return }
        self.isOpen = false
        self.plugin.close(self.plugin.`self`)
        self.wire.closed("the plugin has ended")
    }
}
