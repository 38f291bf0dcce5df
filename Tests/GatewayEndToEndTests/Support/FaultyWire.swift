import NIOCore
import NIOPosix

/// A wire to a port of this machine that can be cut, held, and mended.
final class FaultyWire: Sendable {
    /// What becomes of connections.
    enum State: Sendable {
        /// They stand, and bytes pass.
        case whole
        /// There are none: new ones are closed at once.
        case cut
        /// They stand, and nothing passes.
        case frozen
    }

    /// What is at the wire's near end; lives on its event loop.
    private final class Ends {
        var state = State.whole
        var channels: [any Channel] = []
    }

    /// Where to connect to.
    let port: Int
    private let listener: any Channel
    private let ends: NIOLoopBound<Ends>
    private let eventLoop: any EventLoop

    private init(listener: any Channel, ends: NIOLoopBound<Ends>) {
        self.listener = listener
        self.port = listener.localAddress?.port ?? 0
        self.ends = ends
        self.eventLoop = ends.eventLoop
    }

    /// Lays a wire, runs the body, and takes it away.
    static func with<Result>(to target: Int, body: (FaultyWire) async throws -> Result) async throws -> Result {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let ends = try await eventLoop.submit { NIOLoopBound(Ends(), eventLoop: eventLoop) }.get()
        let listener = try await ServerBootstrap(group: eventLoop)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { near in
                near.eventLoop.makeCompletedFuture { try Self.join(near, to: target, ends.value, ends.eventLoop) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let wire = FaultyWire(listener: listener, ends: ends)
        do {
            let result = try await body(wire)
            try await wire.end()
            return result
        } catch {
            try? await wire.end()
            throw error
        }
    }

    /// Lets something happen to the wire.
    func become(_ state: State) async throws {
        try await self.eventLoop.submit {
            let ends = self.ends.value
            ends.state = state
            switch state {
            case .cut:
                for channel in ends.channels { channel.close(promise: nil) }
                ends.channels = []
            case .frozen, .whole:
                for channel in ends.channels {
                    channel.setOption(.autoRead, value: state == .whole).whenFailure { _ in }
                }
            }
        }.get()
    }

    private func end() async throws {
        try await self.listener.close()
        try await self.become(.cut)
    }

    private static func join(
        _ near: any Channel, to target: Int, _ ends: Ends, _ eventLoop: any EventLoop
    ) throws {
        guard ends.state != .cut else { return near.close(promise: nil) }
        let isWhole = ends.state == .whole
        ends.channels.append(near)
        let bound = NIOLoopBound(ends, eventLoop: eventLoop)
        ClientBootstrap(group: eventLoop)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: target)
            .whenComplete { result in
                guard case .success(let far) = result else { return near.close(promise: nil) }
                bound.value.channels.append(far)
                try? near.pipeline.syncOperations.addHandler(WireEnd(other: far))
                try? far.pipeline.syncOperations.addHandler(WireEnd(other: near))
                guard isWhole else { return }
                near.setOption(.autoRead, value: true).whenFailure { _ in }
                far.setOption(.autoRead, value: true).whenFailure { _ in }
            }
    }
}

/// Hands what comes in at one end out at the other.
private final class WireEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(other: any Channel) {
        self.other = other
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.other.writeAndFlush(Self.unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.other.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
