package import CastTransport
package import GatewayConfig
import GatewayCore
import HTTPServing
package import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import SystemPrimitives

/// The settings of a ``ReloadableServer``.
package protocol ServerSettings: Sendable {
    /// The name of the server among the services.
    static var service: String { get }
    /// The name of the server in sentences.
    static var subject: String { get }
    /// The line of the log when it listens.
    static var ready: Logger.Message { get }

    /// The address that it listens on; nil for none.
    var address: ListenAddress? { get }
    /// The scheme of its URLs, for the log; nil for a server that never has TLS.
    var scheme: String? { get }
}

extension ServerSettings {
    package var scheme: String? { nil }
}

/// The settings of a server that can have TLS.
package protocol SecureServerSettings: ServerSettings {
    /// The certificate that TLS serves; nil for plain HTTP.
    var certificate: TLSServerContext? { get set }
}

extension SecureServerSettings {
    package var scheme: String? { self.certificate == nil ? "http" : "https" }
}

/// An HTTP server whose settings a reload replaces while it runs: the API's, the join page's, and that of metrics.
///
/// A socket cannot move, so another address takes another ``HTTPListener``: ``prepare(_:)`` has it listen, ``commit(_:)`` gives the old
/// address up. A listener looks its settings up for each connection or each request. One that takes over has settings of its own from
/// the start, and one that is given up keeps those that it had; where the address stays, the settings in force are replaced.
package final class ReloadableServer<Options: ServerSettings>: Sendable {
    package typealias Settings = Options

    /// Answers requests, for as long as the server runs.
    struct Work: Sendable {
        /// Learns of settings that are in force, beside the listener.
        var committed: @Sendable (Settings) -> Void = { _ in }
        /// Runs as long as the server does.
        var beside: @Sendable () async -> Void = {}
        /// Makes a listener that goes by settings, which may change meanwhile.
        let listen: @Sendable (HTTPListener.Place, Current<Settings>) async throws -> HTTPListener
    }

    /// The server as a service, with what answers its requests.
    package struct Running: Service, CustomStringConvertible {
        let server: ReloadableServer
        let work: Work

        package var description: String { Settings.service }

        /// Answers until graceful shutdown.
        /// - Throws: ``GatewayError`` with `listenFailed` when the address cannot be bound.
        package func run() async throws { try await self.server.run(self.work) }
    }

    /// A listener that takes over, or none.
    package struct Replacement: Sendable {
        fileprivate let settings: Current<Settings>
        /// True when the address stays.
        fileprivate let staysAtAddress: Bool
        /// The one that listens on the new address; nil when the address stays, or there is none.
        fileprivate(set) var listener: HTTPListener?
        /// The one whose port the new one shares for the moment; nil for most.
        fileprivate var sharedWith: HTTPListener?
    }

    /// The time that callers who are being answered have when an address is given up.
    private static var farewell: TimeAmount { .seconds(1) }

    let logger: Logger
    private let onListening: @Sendable () -> Void
    /// What answers requests, which may hold this; nil unless it runs.
    private let work = Current<Work?>(nil)
    /// The settings of the listener in force.
    fileprivate let settings: Mutex<Current<Settings>>
    private let listener = Mutex<HTTPListener?>(nil)
    private let listeners: AsyncStream<HTTPListener>
    private let input: AsyncStream<HTTPListener>.Continuation
    /// Opens when the first listener listens, or there will be none.
    private let begun = Latch()

    /// Describes a server.
    /// - Parameter onListening: called once, when it listens, or is not to listen for now.
    package init(_ settings: Settings, logger: Logger, onListening: @escaping @Sendable () -> Void = {}) {
        self.settings = Mutex(Current(settings))
        self.logger = logger
        self.onListening = onListening
        (self.listeners, self.input) = AsyncStream.makeStream(of: HTTPListener.self)
    }

    /// The settings in force.
    var current: Settings { self.settings.withLock { $0 }.value }

    /// The port that it listens on; nil while there is none.
    package var port: Int? { self.listener.withLock { $0 }?.port }

    // MARK: Running

    fileprivate func run(_ work: Work) async throws {
        self.work.set(work)
        defer {
            self.work.set(nil)
            _ = self.exchange(for: nil)
        }
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await work.beside() }
            try await self.serve()
            group.cancelAll()
        }
    }

    private func serve() async throws {
        defer { self.begun.open() }
        let settings = self.settings.withLock { $0 }
        if let address = settings.value.address {
            let listener = try await self.listen(on: address, settings, isShared: false)
            self.tell(listener, address)
            self.listener.withLock { $0 = listener }
            self.input.yield(listener)
        }
        self.begun.open()
        self.onListening()
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { listeners in
                for await listener in self.listeners { listeners.addTask { await listener.run() } }
            }
        } onGracefulShutdown: {
            self.input.finish()
            self.listener.withLock { $0 }?.quiesce(within: Self.farewell)
        }
    }

    private func listen(
        on address: ListenAddress, _ settings: Current<Settings>, isShared: Bool
    ) async throws -> HTTPListener {
        guard let work = self.work.value else {
            throw GatewayError(.unavailable, "\(Settings.subject) has ended")
        }
        do {
            return try await work.listen(
                .address(host: address.host, port: address.port, sharesAddress: isShared), settings)
        } catch {
            throw GatewayError(
                .listenFailed,
                "\(Settings.subject) cannot listen on \(address): \(TransportError.text(ofListening: error))")
        }
    }

    private func tell(_ listener: HTTPListener, _ address: ListenAddress) {
        let place = ListenAddress(host: address.host, port: listener.port ?? address.port)
        var metadata: Logger.Metadata = ["address": "\(place)"]
        metadata["scheme"] = self.current.scheme.map { .string($0) }
        self.logger.info(Settings.ready, metadata: metadata)
    }

    private func exchange(for next: HTTPListener?) -> HTTPListener? {
        self.listener.withLock { listener in
            defer { listener = next }
            return listener
        }
    }

    // MARK: Reloads

    /// Has the new address listened on, if it is another; nothing that runs changes.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    package func prepare(_ new: Settings) async throws -> Replacement {
        await self.begun.waitUnlessCancelled()
        let isSame = new.address == self.current.address
        var replacement = Replacement(settings: Current(new), staysAtAddress: isSame)
        guard let address = new.address, !isSame else { return replacement }
        // The same port of another address may be part of what is listened on now.
        let listener = self.listener.withLock { $0 }
        if address.port != 0, let listener, listener.port == address.port { replacement.sharedWith = listener }
        try await Self.share(true, replacement.sharedWith)
        do {
            replacement.listener = try await self.listen(
                on: address, replacement.settings, isShared: replacement.sharedWith != nil)
            return replacement
        } catch {
            try? await Self.share(false, replacement.sharedWith)
            throw error
        }
    }

    /// Puts what was prepared in force, and gives the old address up.
    package func commit(_ replacement: Replacement) async {
        let new = replacement.settings.value
        self.settings.withLock { settings in
            if replacement.staysAtAddress { settings.set(new) } else { settings = replacement.settings }
        }
        self.work.value?.committed(new)
        guard !replacement.staysAtAddress else { return }
        let next = replacement.listener
        if let next, let address = new.address { self.tell(next, address) }
        let old = self.exchange(for: next)
        if let next {
            if case .terminated = self.input.yield(next) { await next.discard() }
            if replacement.sharedWith != nil { try? await Self.share(false, next) }
        }
        old?.quiesce(within: Self.farewell)
    }

    /// Gives up what was prepared.
    package func undo(_ replacement: Replacement) async {
        await replacement.listener?.discard()
        try? await Self.share(false, replacement.sharedWith)
    }

    /// Lets another listener of this process have the same port, or forbids it again.
    private static func share(_ isShared: Bool, _ listener: HTTPListener?) async throws {
        if let listener { try await SharedAddress.allow(isShared, on: listener.channel) }
    }
}

extension ReloadableServer where Options: SecureServerSettings {
    /// The certificate that new connections get, DER; nil without TLS.
    package var certificate: [UInt8]? { self.current.certificate?.leaf }

    /// Serves another certificate to new connections, when it has TLS.
    package func replace(certificate: TLSServerContext) {
        self.settings.withLock { $0 }.update { if $0.certificate != nil { $0.certificate = certificate } }
    }
}
