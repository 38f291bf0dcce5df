import CastTransport
import NIOCore
import NIOEmbedded

@testable import DeviceSessions

/// Dials nothing: a sequence says what becomes of each attempt.
final class FuzzDialer: DeviceDialer {
    private struct Attempt {
        let channel: EmbeddedChannel
        let connection: CastConnection
        let promise: EventLoopPromise<CastConnection>
    }

    private static let pipeline = CastPipeline(
        role: .sender, heartbeat: .init(interval: .seconds(5), timeout: .seconds(20)), handshakeTimeout: .seconds(5))

    private let loop: EmbeddedEventLoop
    private var attempts: [Attempt] = []
    private(set) var dials = 0

    init(on loop: EmbeddedEventLoop) {
        self.loop = loop
    }

    func dial(
        host: String, port: Int, within patience: TimeAmount?, on eventLoop: any EventLoop,
        delegate: any CastConnectionDelegate
    ) -> EventLoopFuture<CastConnection> {
        self.dials += 1
        let promise = eventLoop.makePromise(of: CastConnection.self)
        let channel = EmbeddedChannel(loop: self.loop)
        do {
            let connection = try Self.pipeline.configure(channel, delegate: delegate)
            self.attempts.append(Attempt(channel: channel, connection: connection, promise: promise))
        } catch {
            promise.fail(error)
        }
        return promise.futureResult
    }

    /// The device takes the call; nil when there is no call.
    func accept() throws -> EmbeddedChannel? {
        guard !self.attempts.isEmpty else { return nil }
        let attempt = self.attempts.removeFirst()
        attempt.promise.assumeIsolated().succeed(attempt.connection)
        attempt.channel.connect(to: try SocketAddress(ipAddress: "192.0.2.99", port: 8009), promise: nil)
        self.loop.run()
        return attempt.channel
    }

    /// The device cannot be reached by any caller.
    func refuse() {
        for attempt in self.attempts {
            attempt.promise.fail(ChannelError.connectTimeout(.seconds(1)))
            attempt.channel.close(promise: nil)
        }
        self.attempts = []
        self.loop.run()
    }
}
