import HummingbirdCore
import NIOCore
import Synchronization
import SystemPrimitives

/// The connections of a listener that are open now.
///
/// One that is accepted while the listener is given up is handed to nothing. NIO ends the program when such a connection is let go
/// unfinished, so each is held until its channel is closed.
final class OpenChannels: Sendable {
    private enum Use {
        case undecided
        /// It is one of HTTP that nothing answers yet.
        case held(HTTP1Channel.Value)
        /// It is one of HTTP, answered and closed by what answers it.
        case answered(HTTP1Channel.Value)
        case webSocket

        var isAnswered: Bool {
            switch self {
            case .answered: true
            case .undecided, .held, .webSocket: false
            }
        }

        var isWebSocket: Bool {
            switch self {
            case .webSocket: true
            case .undecided, .held, .answered: false
            }
        }
    }

    private struct State {
        var connections: [ObjectIdentifier: (channel: any Channel, use: Use)] = [:]
        var webSockets = 0
        var isOver = false
    }

    private let state = Mutex(State())
    /// Opens after ``end()``, with the end of the last WebSocket.
    private let drained = Latch()

    /// Holds a connection until it is closed; one that comes when all is over is closed at once.
    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let isOver = self.state.withLock { state in
            state.connections[id] = (channel, .undecided)
            return state.isOver
        }
        channel.closeFuture.whenComplete { _ in self.remove(id) }
        if isOver { channel.close(promise: nil) }
    }

    private func remove(_ id: ObjectIdentifier) {
        // What is held goes after the lock.
        let (removed, isDrained) = self.state.withLock { state in
            let removed = state.connections.removeValue(forKey: id)
            if removed?.use.isWebSocket == true { state.webSockets -= 1 }
            return (removed, state.isOver && state.webSockets == 0)
        }
        if isDrained { self.drained.open() }
        withExtendedLifetime(removed) {}
    }

    /// The connection is one of HTTP, and has been made fit for it.
    func hold(_ value: HTTP1Channel.Value) { self.use(value.channel, .held(value)) }

    /// The connection is answered from now on, and closed by what answers it.
    func take(_ channel: any Channel) {
        self.state.withLock { state in
            guard case .held(let value)? = state.connections[ObjectIdentifier(channel)]?.use else { return }
            state.connections[ObjectIdentifier(channel)]?.use = .answered(value)
        }
    }

    /// The connection has become a WebSocket, which closes itself when it is told that the listener is given up.
    func becameWebSocket(_ channel: any Channel) { self.use(channel, .webSocket) }

    private func use(_ channel: any Channel, _ use: Use) {
        let isOver = self.state.withLock { state in
            guard state.connections[ObjectIdentifier(channel)] != nil else { return false }
            state.connections[ObjectIdentifier(channel)]?.use = use
            if use.isWebSocket { state.webSockets += 1 }
            return state.isOver
        }
        if isOver { channel.close(promise: nil) }
    }

    /// Closes the connections that nothing answers, now and later; WebSockets stay.
    func end() {
        let (left, isDrained) = self.state.withLock { state in
            state.isOver = true
            let left = state.connections.values.filter { !$0.use.isAnswered && !$0.use.isWebSocket }
            return (left.map(\.channel), state.webSockets == 0)
        }
        if isDrained { self.drained.open() }
        for channel in left { channel.close(promise: nil) }
    }

    /// Waits until the last WebSocket is closed, which is after ``end()``; closes them all when the task is cancelled.
    func webSocketsClosed() async {
        await self.drained.waitUnlessCancelled()
        self.closeWebSockets()
    }

    /// Closes all WebSockets without a handshake.
    func closeWebSockets() {
        let left = self.state.withLock { state in
            state.connections.values.filter(\.use.isWebSocket).map(\.channel)
        }
        for channel in left { channel.close(promise: nil) }
    }

    var all: [any Channel] { self.state.withLock { $0.connections.values.map(\.channel) } }
}
