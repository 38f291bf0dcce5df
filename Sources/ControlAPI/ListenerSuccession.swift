import CastTransport
import GatewayConfig
import HTTPServing
import NIOCore
import ServiceLifecycle
import Synchronization

/// Lets one HTTP listener follow another while the gateway runs: the new one listens before the old one gives its address up.
final class ListenerSuccession: Sendable {
    /// A listener that takes over, or none.
    struct Replacement: Sendable {
        /// The one that listens on the new address; nil when the address stays, or there is none.
        let listener: HTTPListener?
        /// Whether the address stays.
        let staysAtAddress: Bool
        /// The one whose port the new one shares for the moment; nil for most.
        fileprivate let sharedWith: HTTPListener?
    }

    /// How long callers that are being answered have when an address is given up.
    private static let farewell = TimeAmount.seconds(1)

    private let current = Mutex<HTTPListener?>(nil)
    private let listeners: AsyncStream<HTTPListener>
    private let input: AsyncStream<HTTPListener>.Continuation
    private let begun: AsyncStream<Never>
    private let begin: AsyncStream<Never>.Continuation

    init() {
        (self.listeners, self.input) = AsyncStream.makeStream(of: HTTPListener.self)
        (self.begun, self.begin) = AsyncStream.makeStream(of: Never.self)
    }

    /// The port that is listened on; nil while there is none.
    var port: Int? { self.current.withLock { $0 }?.port }

    /// Answers until graceful shutdown.
    /// - Parameters:
    ///   - first: makes the first listener; nil when there is to be none for now.
    ///   - onListening: called once, when it listens, or there is none.
    func run(
        first: () async throws -> HTTPListener?, onListening: @Sendable () -> Void
    ) async throws {
        defer { self.begin.finish() }
        if let listener = try await first() {
            self.current.withLock { $0 = listener }
            self.input.yield(listener)
        }
        self.begin.finish()
        onListening()
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { listeners in
                for await listener in self.listeners { listeners.addTask { await listener.run() } }
            }
        } onGracefulShutdown: {
            self.input.finish()
            self.current.withLock { $0 }?.quiesce(within: Self.farewell)
        }
        // It holds what answers its requests, which may hold this.
        _ = self.current.withLock { current in
            defer { current = nil }
            return current
        }
    }

    /// Has the new address listened on, if it is another; nothing that runs changes.
    /// - Parameters:
    ///   - old: where is listened now.
    ///   - new: where is to be listened.
    ///   - make: makes the listener for the new address; whether its port is shared with another listener of this process.
    func prepare(
        from old: ListenAddress?, to new: ListenAddress?,
        make: (_ address: ListenAddress, _ isShared: Bool) async throws -> HTTPListener
    ) async throws -> Replacement {
        for await _ in self.begun {}
        guard let new, new != old else {
            return Replacement(listener: nil, staysAtAddress: new == old, sharedWith: nil)
        }
        // The same port of another address may be part of what is listened on now.
        let current = self.current.withLock { $0 }
        let sharing = new.port != 0 && current?.port == new.port ? current : nil
        if let sharing { try await SharedAddress.allow(true, on: sharing.channel) }
        do {
            return Replacement(
                listener: try await make(new, sharing != nil), staysAtAddress: false, sharedWith: sharing)
        } catch {
            if let sharing { try? await SharedAddress.allow(false, on: sharing.channel) }
            throw error
        }
    }

    /// Puts what was prepared in force, and gives the old address up.
    func commit(_ replacement: Replacement) async {
        guard !replacement.staysAtAddress else { return }
        let old = self.current.withLock { current in
            defer { current = replacement.listener }
            return current
        }
        if let listener = replacement.listener {
            if case .terminated = self.input.yield(listener) { await listener.discard() }
            if replacement.sharedWith != nil { try? await SharedAddress.allow(false, on: listener.channel) }
        }
        old?.quiesce(within: Self.farewell)
    }

    /// Gives up what was prepared.
    func undo(_ replacement: Replacement) async {
        await replacement.listener?.discard()
        if let sharing = replacement.sharedWith { try? await SharedAddress.allow(false, on: sharing.channel) }
    }
}
