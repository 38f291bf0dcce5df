import CastWire
import GatewayTesting
import NIOCore
import Testing

@testable import CastTransport

@Suite struct FrameCollectorTests {
    private static let messages = (0..<5).map { CastMessage.test("\($0)", in: .media) }

    private static func filled(_ collector: FrameCollector, with messages: [CastMessage]) -> FrameCollector {
        var collector = collector
        for message in messages {
            let isTaken = collector.append(message)
            #expect(isTaken)
        }
        return collector
    }

    @Test func towardsDevicesATurnIsOnePiece() throws {
        var collector = Self.filled(FrameCollector(setsLastFrameApart: false), with: Self.messages)
        let taken = collector.take()
        let pieces = try #require(taken)
        #expect(try CastMessage.read(all: pieces.first) == Self.messages)
        #expect(pieces.second == nil)
        #expect(collector.isEmpty)
    }

    /// While the record of the last frame lies in the socket, a sender that waits for the socket goes on reading.
    @Test func towardsSendersTheLastFrameIsAPieceOfItsOwn() throws {
        var collector = Self.filled(FrameCollector(setsLastFrameApart: true), with: Self.messages)
        let taken = collector.take()
        let pieces = try #require(taken)
        #expect(try CastMessage.read(all: pieces.first) == Array(Self.messages.dropLast()))
        #expect(try CastMessage.read(all: try #require(pieces.second)) == Array(Self.messages.suffix(1)))
        #expect(collector.isEmpty)
    }

    @Test func aSingleFrameIsOnePiece() throws {
        for turn in 0..<3 {
            var collector = Self.filled(FrameCollector(setsLastFrameApart: true), with: [Self.messages[turn]])
            let taken = collector.take()
            let pieces = try #require(taken)
            #expect(try CastMessage.read(all: pieces.first) == [Self.messages[turn]])
            #expect(pieces.second == nil)
        }
    }

    @Test func aMessageThatIsTooLargeIsRefusedAlone() throws {
        var collector = FrameCollector(setsLastFrameApart: true)
        let small = Self.messages[0]
        let large = CastMessage.test(String(repeating: "x", count: 70_000), in: .media)
        let fit = [small, large, small].map { collector.append($0) }
        #expect(fit == [true, false, true])
        let taken = collector.take()
        let pieces = try #require(taken)
        #expect(try CastMessage.read(all: pieces.first) == [small])
        #expect(try CastMessage.read(all: try #require(pieces.second)) == [small])
    }

    @Test func aTurnWithoutEndIsFull() {
        var collector = FrameCollector(setsLastFrameApart: true)
        let message = CastMessage.test(String(repeating: "x", count: 60_000), in: .media)
        let full = (0..<3).map { _ in
            _ = collector.append(message)
            return collector.isFull
        }
        #expect(full == [false, false, true])
        _ = collector.take()
        #expect(!collector.isFull)
    }
}
