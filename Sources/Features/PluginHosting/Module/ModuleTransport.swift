import CPluginModule
import NIOCore
import PluginKit
import Synchronization

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
        // Both stay as long as the process: a module may call `send` after its end.
        let mailbox = Unmanaged.passRetained(ModuleMailbox(wire))
        let plugin = try library.makePlugin(instance: instance, context: mailbox.toOpaque()) { context, lines, length in
            guard let context, let lines, length > 0 else { return }
            let bytes = UnsafeRawBufferPointer(start: lines, count: length)
            Unmanaged<ModuleMailbox>.fromOpaque(context).takeUnretainedValue().take(ByteBuffer(bytes: bytes))
        }
        wire.transport = ModuleTransport(wire: wire, plugin: plugin)
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

/// Takes what a module says, from whatever thread, to its wire. What comes behind the end is dropped.
final class ModuleMailbox: Sendable {
    /// The number of bytes that may be on their way to the event loop.
    private static let limit = PluginProtocol.maximumUnfinishedLength

    private let wire: NIOLoopBound<PluginWire>
    private let eventLoop: any EventLoop
    private let waiting = Atomic(0)

    init(_ wire: PluginWire) {
        self.eventLoop = wire.eventLoop
        self.wire = NIOLoopBound(wire, eventLoop: wire.eventLoop)
    }

    /// Takes lines, copied already.
    func take(_ lines: ByteBuffer) {
        let count = lines.readableBytes
        let waiting = self.waiting.wrappingAdd(count, ordering: .relaxed).newValue
        // Never at once: the module may be in the middle of taking something.
        self.eventLoop.execute {
            self.waiting.wrappingSubtract(count, ordering: .relaxed)
            let wire = self.wire.value
            guard !wire.isClosed else { return }
            if waiting > Self.limit { return wire.giveUp("it says more than can be taken") }
            wire.received(lines)
        }
    }
}
