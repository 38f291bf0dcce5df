import NIOCore
import PluginKit
import Synchronization

/// Takes what a module says, from whatever thread, to its wire. What comes behind the end is dropped.
final class ModuleMailbox: Sendable {
    /// So many bytes may be on their way to the event loop.
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
