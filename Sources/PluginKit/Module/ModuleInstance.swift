import NIOCore
import Synchronization

/// One instance of a plugin within the gateway's process.
final class ModuleInstance {
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
        self.session.close()
        self.session.output.close()
    }
}
