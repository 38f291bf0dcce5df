import CastIdentity
import CastTransport
import CastWire
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A listener on 127.0.0.1 and the means to talk to it.
final class TLSBench: Sendable {
    typealias Events = AsyncStream<StreamingDelegate.Event>

    static let leaves: [TLSLeaf] = [TLSKeyKind.p256, .p256, .rsa].enumerated().compactMap {
        try? TLSLeaf.generate(commonName: "castway-test-\($0.offset)", key: $0.element, now: 1_800_000_000)
    }

    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let limiter: ConnectionLimiter
    let context: Mutex<TLSServerContext>
    /// What the accepted connections' owners are told.
    let events: Events
    private let input: Events.Continuation

    var loop: any EventLoop { self.group.next() }

    init(maximumTotal: Int = 100, leaf: Int = 0) throws {
        self.limiter = ConnectionLimiter(ConnectionLimits(total: maximumTotal, perAddress: 100))
        self.context = Mutex(try Self.context(leaf))
        (self.events, self.input) = Events.makeStream()
    }

    static func context(_ index: Int) throws -> TLSServerContext {
        let leaf = Self.leaves[index]
        return try TLSServerContext(certificate: leaf.certificate, privateKey: leaf.privateKey)
    }

    static func pipeline(_ role: Heartbeat.Role) -> CastPipeline {
        CastPipeline(
            role: role, heartbeat: Heartbeat.Settings(interval: .seconds(300), timeout: .seconds(900)),
            handshakeTimeout: .seconds(30))
    }

    /// Listens while `body` runs.
    func withListener(
        onReady: @escaping @Sendable (CastConnection) -> Void = { _ in },
        answer: @escaping @Sendable (CastMessage) -> CastMessage? = { _ in nil },
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        let listener = CastListener(
            pipeline: Self.pipeline(.receiver), eventLoop: self.loop, certificate: { self.context.withLock { $0 } },
            admit: { try self.limiter.admit($0, at: .now(), evict: $1) })
        let channel = try await listener.bind(host: "127.0.0.1", port: 0) { _, _ in
            StreamingDelegate(self.input, onReady: onReady, answer: answer)
        }
        try await body(channel.localAddress?.port ?? 0)
        try await channel.close()
        try await self.group.shutdownGracefully()
    }

    /// Opens a TLS channel as a sender does, with versions of TLS up to `version`, and these cipher suites for 1.2.
    /// - Returns: the channel, and what its owner is told.
    func client(
        _ port: Int, version: TLSVersion? = nil, suites: [NIOTLSCipher] = [],
        onReady: @escaping @Sendable (CastConnection) -> Void = { _ in }
    ) async throws -> (channel: any Channel, events: Events) {
        let (events, input) = Events.makeStream()
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = version
        if !suites.isEmpty { configuration.cipherSuiteValues = suites }
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: self.group).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let delegate = StreamingDelegate(input, onReady: onReady)
                try Self.pipeline(.sender).configure(
                    channel, tls: NIOSSLClientHandler(context: context, serverHostname: nil), delegate: delegate)
                let kept = NIOLoopBound(delegate, eventLoop: channel.eventLoop)
                channel.closeFuture.whenComplete { _ in withExtendedLifetime(kept) {} }
            }
        }.connect(host: "127.0.0.1", port: port).get()
        return (channel, events)
    }
}

extension AsyncStream where Element: Sendable {
    /// The next element.
    func next() async -> Element? {
        for await element in self { return element }
        return nil
    }
}
