import CastWire
import GatewayTesting
import NIOCore
import NIOEmbedded
import Testing

@testable import CastTransport

@Suite struct CastFrameEncoderTests {
    @Test func theFramesOfOneTurnLeaveAsOnePiece() throws {
        let channel = EmbeddedChannel(handler: CastFrameEncoder(collectsFrames: true))
        let messages = (0..<5).map { CastMessage.test("\($0)", in: .media) }
        let promises = messages.map { _ in channel.eventLoop.makePromise(of: Void.self) }
        var done = 0
        for (message, promise) in zip(messages, promises) {
            promise.futureResult.assumeIsolated().whenSuccess { done += 1 }
            channel.write(message, promise: promise)
        }
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        #expect(done == 0)
        channel.flush()
        let piece = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(try CastMessage.read(all: piece) == messages)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        #expect(done == 5)
        channel.flush()
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        _ = try channel.finish()
    }

    @Test func aMessageThatIsTooLargeFailsAlone() throws {
        let channel = EmbeddedChannel(handler: CastFrameEncoder(collectsFrames: true))
        let small = CastMessage.test("small", in: .media)
        let large = CastMessage.test(String(repeating: "x", count: 70_000), in: .media)
        var failure: (any Error)?
        channel.write(small, promise: nil)
        channel.write(large).assumeIsolated().whenFailure { failure = $0 }
        channel.write(small, promise: nil)
        channel.flush()
        guard case .frameTooLarge? = failure as? WireError else {
            Issue.record("\(String(describing: failure))")
            return
        }
        let piece = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(try CastMessage.read(all: piece) == [small, small])
        #expect(channel.isActive == false)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func aTurnWithoutEndLeavesInPieces() throws {
        let channel = EmbeddedChannel(handler: CastFrameEncoder(collectsFrames: true))
        let message = CastMessage.test(String(repeating: "x", count: 60_000), in: .media)
        for _ in 0..<3 { channel.write(message, promise: nil) }
        let piece = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(try CastMessage.read(all: piece).count == 3)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func towardsSendersEachFrameIsAPieceOfItsOwn() throws {
        let channel = EmbeddedChannel(handler: CastFrameEncoder(collectsFrames: false))
        let messages = (0..<3).map { CastMessage.test("\($0)", in: .media) }
        for message in messages { channel.write(message, promise: nil) }
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        channel.flush()
        for message in messages {
            #expect(try CastMessage.read(all: try #require(try channel.readOutbound(as: ByteBuffer.self))) == [message])
        }
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test(arguments: [true, false]) func aTurnsBytesStayBoundedWithoutAFlush(_ collectsFrames: Bool) throws {
        let channel = EmbeddedChannel(handler: CastFrameEncoder(collectsFrames: collectsFrames))
        let message = CastMessage.test(String(repeating: "x", count: 60_000), in: .media)
        var bytes = 0
        for _ in 0..<20 {
            channel.write(message, promise: nil)
            while let piece = try channel.readOutbound(as: ByteBuffer.self) { bytes += piece.readableBytes }
        }
        #expect(bytes >= 18 * 60_000)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func whatWasNeverFlushedFailsWithTheChannel() throws {
        let channel = EmbeddedChannel(handler: CastFrameEncoder(collectsFrames: true))
        var failures = 0
        for _ in 0..<2 { channel.write(CastMessage.ping).assumeIsolated().whenFailure { _ in failures += 1 } }
        _ = try channel.finish(acceptAlreadyClosed: true)
        #expect(failures == 2)
    }
}
