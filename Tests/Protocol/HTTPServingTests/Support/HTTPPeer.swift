import NIOCore
import NIOPosix

/// A caller that may say anything, at any pace.
final class HTTPPeer {
    private let channel: any Channel
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator

    private init(channel: any Channel, inbound: NIOAsyncChannelInboundStream<ByteBuffer>) {
        self.channel = channel
        self.inbound = inbound.makeAsyncIterator()
    }

    /// Connects, runs the body, and hangs up.
    static func connect(
        to port: Int, isolation: isolated (any Actor)? = #isolation, body: (HTTPPeer) async throws -> Void
    ) async throws {
        let wrapped = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_rcvbuf), value: 8192)
            .connect(host: "127.0.0.1", port: port) { Self.wrap($0) }
        try await Self.run(wrapped, body: body)
    }

    /// The same with a socket of the file system.
    static func connect(
        toSocket path: String, isolation: isolated (any Actor)? = #isolation, body: (HTTPPeer) async throws -> Void
    ) async throws {
        let wrapped = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: path) { Self.wrap($0) }
        try await Self.run(wrapped, body: body)
    }

    private static func wrap(_ channel: any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> {
        channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
    }

    private static func run(
        _ wrapped: NIOAsyncChannel<ByteBuffer, ByteBuffer>, isolation: isolated (any Actor)? = #isolation,
        body: (HTTPPeer) async throws -> Void
    ) async throws {
        try await wrapped.executeThenClose { inbound, _ in
            try await body(HTTPPeer(channel: wrapped.channel, inbound: inbound))
        }
    }

    /// Says something; it does not matter if the server has closed meanwhile.
    func send(_ text: String) {
        self.channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }

    /// Says bytes; it does not matter if the server has closed meanwhile.
    func send(_ bytes: ByteBuffer) {
        self.channel.writeAndFlush(bytes, promise: nil)
    }

    /// Says that nothing more comes, and goes on reading.
    func endOutput() async throws {
        try await self.channel.close(mode: .output)
    }

    /// Says one byte after the other until the connection ends.
    func drip() {
        let channel = self.channel
        let drops = channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { _ in
            channel.writeAndFlush(ByteBuffer(string: "x"), promise: nil)
        }
        channel.closeFuture.whenComplete { _ in drops.cancel() }
    }

    /// Reads nothing from now on.
    func goDeaf() async throws {
        try await self.channel.setOption(.autoRead, value: false).get()
    }

    /// Reads again.
    func listen() async throws {
        try await self.channel.setOption(.autoRead, value: true).get()
        self.channel.read()
    }

    /// What comes until a text has come.
    func read(until end: String) async -> String {
        var all = ByteBuffer()
        let wanted = Array(end.utf8)
        while let bytes = await self.next() {
            // Only what is new is searched, with what a part of the text may stand in.
            let start = max(all.readableBytes - wanted.count, 0)
            all.writeImmutableBuffer(bytes)
            if all.viewBytes(at: start, length: all.readableBytes - start)?.firstRange(of: wanted) != nil { break }
        }
        return String(buffer: all)
    }

    /// What comes until the server closes.
    func readToEnd() async -> String {
        var text = ""
        while let bytes = await self.next() { text += String(buffer: bytes) }
        return text
    }

    /// What comes next, as it comes; nil when the server has closed.
    func piece() async -> ByteBuffer? { await self.next() }

    private func next() async -> ByteBuffer? {
        // However the server ends it, an end it is.
        (try? await self.inbound.next(isolation: nil)) ?? nil
    }
}
