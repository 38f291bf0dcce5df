import CPluginModule
import NIOCore
import Synchronization

/// A plugin as a shared library within the gateway's process. One exported function makes it one:
///
/// ```swift
/// @c(castway_plugin_open_v1)
/// public func open(_ host: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer?) -> Int32 {
///     PluginModule.open(Echo.self, host, out)
/// }
/// ```
///
/// Only bytes cross the boundary, so gateway and library need not be built together. A library shares the gateway's fate:
/// what traps here ends both.
public enum PluginModule {
    /// Makes a plugin for one instance in `gateway.yaml`.
    /// - Parameters:
    ///   - host: the gateway's `cw_host` (`castway_plugin.h`).
    ///   - out: the gateway's `cw_plugin`, which is filled in.
    /// - Returns: `CASTWAY_PLUGIN_OK`, or why not; `out` is then left alone.
    public static func open(
        _ type: any CastPlugin.Type, _ host: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer?
    ) -> Int32 {
        guard let host = host?.assumingMemoryBound(to: cw_host.self),
            let out = out?.assumingMemoryBound(to: cw_plugin.self)
        else { return CASTWAY_PLUGIN_FAILED }
        guard host.pointee.abi == UInt32(CASTWAY_PLUGIN_ABI), out.pointee.abi == UInt32(CASTWAY_PLUGIN_ABI),
            host.pointee.size >= UInt32(MemoryLayout<cw_host>.size),
            out.pointee.size >= UInt32(MemoryLayout<cw_plugin>.size)
        else { return CASTWAY_PLUGIN_WRONG_ABI }
        guard let send = host.pointee.send else { return CASTWAY_PLUGIN_FAILED }
        let instance = ModuleInstance(type, HostSink(context: host.pointee.ctx, send: send))
        out.pointee = cw_plugin(
            abi: UInt32(CASTWAY_PLUGIN_ABI), size: UInt32(MemoryLayout<cw_plugin>.size),
            self: Unmanaged.passRetained(instance).toOpaque(), build_id: Self.build,
            receive: { pointer, lines, length in
                guard let pointer else { return CASTWAY_PLUGIN_FAILED }
                let instance = Unmanaged<ModuleInstance>.fromOpaque(pointer).takeUnretainedValue()
                return instance.receive(UnsafeBufferPointer(start: lines, count: length))
                    ? CASTWAY_PLUGIN_OK : CASTWAY_PLUGIN_FAILED
            },
            close: { pointer in
                guard let pointer else { return }
                Unmanaged<ModuleInstance>.fromOpaque(pointer).takeRetainedValue().close()
            })
        return CASTWAY_PLUGIN_OK
    }

    private static var build: UnsafePointer<CChar> {
        let text: StaticString = "PluginKit, protocol 1"
        return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

/// One instance of a plugin within the gateway's process.
private final class ModuleInstance {
    private let session: PluginSession
    private let isOver: Flag
    private var incoming = IncomingLines()

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    init(_ type: any CastPlugin.Type, _ sink: HostSink) {
        let isOver = Flag()
        self.isOver = isOver
        self.session = PluginSession(type, identity: nil, output: sink) { _ in
            isOver.value.store(true, ordering: .relaxed)
        }
    }

    /// Takes lines.
    /// - Returns: false when the plugin is over.
    func receive(_ lines: UnsafeBufferPointer<UInt8>) -> Bool {
        self.incoming.splitter.append(ByteBuffer(bytes: lines))
        self.session.receive(&self.incoming)
        return !self.isOver.value.load(ordering: .relaxed)
    }

    /// The end: nothing is sent once this has returned.
    func close() {
        self.session.closeOutput()
    }
}

/// The gateway's `send`, which takes lines from any thread.
private struct HostSink: LineSink {
    /// The gateway promises that its context may be used from any thread until `close` returns.
    nonisolated(unsafe) private let context: UnsafeMutableRawPointer?
    private let send: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Void

    init(
        context: UnsafeMutableRawPointer?,
        send: @escaping @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Void
    ) {
        self.context = context
        self.send = send
    }

    func write(_ lines: ByteBuffer) {
        lines.withUnsafeReadableBytes { bytes in
            self.send(self.context, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
    }
}
