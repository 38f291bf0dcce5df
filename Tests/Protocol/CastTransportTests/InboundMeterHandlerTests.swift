import CastWire
import CastwayTestSupport
import GatewayTesting
import NIOCore
import NIOEmbedded
import Testing

@testable import CastTransport

@Suite struct InboundMeterHandlerTests {
    /// Notes what passes, and the reads that reach the socket.
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var count = 0

        func read(context: ChannelHandlerContext) {
            self.count += 1
            context.read()
        }
    }

    private final class Bench {
        let loop = EmbeddedEventLoop()
        let budget: InboundBudget
        var throttled = 0

        init(messagesPerSecond: Int?) {
            self.budget = InboundBudget(messagesPerSecond: messagesPerSecond, eventLoop: self.loop)
            self.budget.onThrottled = { [unowned self] in self.throttled += 1 }
        }

        func connection() throws -> (channel: EmbeddedChannel, reads: Reads) {
            let reads = Reads()
            let channel = EmbeddedChannel(loop: self.loop)
            try channel.pipeline.syncOperations.addHandlers([
                reads, InboundMeterHandler(budget: self.budget, socketBytes: nil, frameTimeout: .seconds(10)),
            ])
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.7", port: 8009), promise: nil)
            self.loop.run()
            return (channel, reads)
        }
    }

    private static func frames(_ count: Int) throws -> ByteBuffer {
        try CastMessage.frames((0..<count).map { CastMessage.test("\($0)", in: .media) })
    }

    private static func texts(_ channel: EmbeddedChannel) throws -> [String] {
        var texts: [String] = []
        while let bytes = try channel.readInbound(as: ByteBuffer.self) {
            texts += try CastMessage.read(all: bytes).map { String(buffer: $0.payload.bytes) }
        }
        return texts
    }

    @Test func whatIsBeyondTheBudgetWaitsAndNothingIsLost() throws {
        let bench = Bench(messagesPerSecond: 100)
        let (channel, reads) = try bench.connection()
        try channel.writeInbound(try Self.frames(200))
        var texts = try Self.texts(channel)
        // A quarter of a second's worth may come at once; each costs a little more than one.
        #expect((20...25).contains(texts.count))
        #expect(bench.throttled == 1)
        let before = reads.count
        channel.read()
        #expect(reads.count == before)
        bench.loop.advanceTime(by: .seconds(1))
        texts += try Self.texts(channel)
        #expect((110...130).contains(texts.count))
        bench.loop.advanceTime(by: .seconds(1))
        texts += try Self.texts(channel)
        #expect(texts == (0..<200).map(String.init))
        #expect(bench.throttled == 1)
        #expect(reads.count == before + 1)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func connectionsOfOneAddressTakeTurns() throws {
        let bench = Bench(messagesPerSecond: 1000)
        let first = try bench.connection().channel
        let second = try bench.connection().channel
        try first.writeInbound(try Self.frames(2000))
        try second.writeInbound(try Self.frames(10))
        #expect(try Self.texts(second).isEmpty)
        bench.loop.advanceTime(by: .milliseconds(150))
        #expect(try Self.texts(second).count == 10)
        #expect(try Self.texts(first).count < 500)
        _ = try first.finish(acceptAlreadyClosed: true)
        _ = try second.finish(acceptAlreadyClosed: true)
    }

    @Test func whoHangsUpWhileWaitingIsForgotten() throws {
        let bench = Bench(messagesPerSecond: 100)
        let channel = try bench.connection().channel
        try channel.writeInbound(try Self.frames(100))
        _ = try Self.texts(channel)
        channel.close(promise: nil)
        bench.loop.run()
        bench.loop.advanceTime(by: .seconds(10))
        #expect(try Self.texts(channel).isEmpty)
        #expect(bench.budget.isUntouched(at: bench.loop.now))
    }

    @Test func withoutALimitEverythingPasses() throws {
        let bench = Bench(messagesPerSecond: nil)
        let channel = try bench.connection().channel
        try channel.writeInbound(try Self.frames(10_000))
        #expect(try Self.texts(channel).count == 10_000)
        #expect(bench.throttled == 0)
        _ = try channel.finish()
    }

    @Test func aLargeMessageCostsMore() throws {
        let bench = Bench(messagesPerSecond: 100)
        let channel = try bench.connection().channel
        let large = CastMessage.test(String(repeating: "x", count: 60_000), in: .media)
        try channel.writeInbound(try CastMessage.frames([large, large, large, large]))
        #expect(try Self.texts(channel).count == 2)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func aFrameMustEndInTime() throws {
        let bench = Bench(messagesPerSecond: 100)
        let channel = try bench.connection().channel
        let frame = try Self.frames(1)
        for index in 0..<9 {
            try channel.writeInbound(try #require(frame.getSlice(at: index, length: 1)))
            bench.loop.advanceTime(by: .seconds(1))
            try channel.throwIfErrorCaught()
        }
        bench.loop.advanceTime(by: .seconds(1))
        #expect(throws: TransportError.slowFrame) { try channel.throwIfErrorCaught() }
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    @Test func framesInPiecesThatEndInTimePass() throws {
        let bench = Bench(messagesPerSecond: 100)
        let channel = try bench.connection().channel
        var bytes = try Self.frames(20)
        // Every piece ends one frame and begins the next, so some frame is always incomplete.
        let length = bytes.readableBytes / 40
        while let piece = bytes.readSlice(length: min(length, max(bytes.readableBytes, 1))) {
            try channel.writeInbound(piece)
            bench.loop.advanceTime(by: .seconds(4))
            try channel.throwIfErrorCaught()
        }
        #expect(try Self.texts(channel).count == 20)
        bench.loop.advanceTime(by: .minutes(1))
        try channel.throwIfErrorCaught()
        _ = try channel.finish()
    }

    @Test func anImpossibleLengthPassesToTheDecoder() throws {
        let bench = Bench(messagesPerSecond: 100)
        let channel = try bench.connection().channel
        try channel.writeInbound(ByteBuffer(bytes: [255, 255, 255, 255, 1]))
        #expect(try channel.readInbound(as: ByteBuffer.self)?.readableBytes == 5)
        _ = try channel.finish()
    }
}
