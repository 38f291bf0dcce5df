import Dispatch
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import ControlAPI

/// Answers that are streams, whose source is quicker than the event loop of the connection.
@Suite(.timeLimit(.minutes(1))) struct PacedAnswerTests {
    private final class Written: Sendable {
        private let pieces = Atomic(0)
        var count: Int { self.pieces.load(ordering: .acquiring) }
        func note() { self.pieces.add(1, ordering: .acquiringAndReleasing) }
    }

    private struct CountingWriter: ResponseBodyWriter {
        let written: Written
        func write(_ buffer: ByteBuffer) async throws { self.written.note() }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test func aSourceThatIsQuickWaitsForTheEventLoop() async throws {
        let (written, count) = (Written(), 50)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (loop, busy) = (group.next(), DispatchSemaphore(value: 0))
        let source = ResponseBody { writer in
            for _ in 0..<count { try await writer.write(ByteBuffer(repeating: 0, count: 36_000)) }
            try await writer.finish(nil)
        }
        let body = APIResponder.paced(source, on: loop)
        loop.execute { busy.wait() }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await body.write(CountingWriter(written: written)) }
            for _ in 0..<1000 { await Task.yield() }
            #expect(written.count <= 1)
            busy.signal()
            try await tasks.waitForAll()
        }
        #expect(written.count == count)
        try await group.shutdownGracefully()
    }

    @Test func aShortAnswerWaitsForNothing() async throws {
        let (loop, written) = (NIOAsyncTestingEventLoop(), Written())
        try await APIResponder.paced(ResponseBody(byteBuffer: ByteBuffer(string: "{}")), on: loop)
            .write(CountingWriter(written: written))
        #expect(written.count == 1)
        await loop.shutdownGracefully()
    }
}
