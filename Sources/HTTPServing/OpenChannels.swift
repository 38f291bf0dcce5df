import NIOCore
import Synchronization

/// The connections that are open now.
final class OpenChannels: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        self.channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { _ in self.channels.withLock { $0[id] = nil } }
    }

    var all: [any Channel] { self.channels.withLock { Array($0.values) } }
}
