import NIOCore
import NIOEmbedded
import Testing

@testable import CastDiscovery

struct AnnouncementListenerTests {
    private struct Obstacle: Error {}

    private final class Record {
        var events: [AnnouncementEvent] = []
        var instances: [[String]] = []
        var looks = 0
    }

    @Test func datagramsOfTheRightPortAreRead() throws {
        let record = Record()
        let channel = EmbeddedChannel(
            handler: AnnouncementHandler { instances, address in
                record.instances.append(instances.map(\.name) + [address])
            })
        var message = DNSMessageWriter()
        message.pointer(to: "One")
        for port in [5353, 40000] {
            let sender = try SocketAddress(ipAddress: "192.0.2.1", port: port)
            try channel.writeInbound(AddressedEnvelope(remoteAddress: sender, data: ByteBuffer(bytes: message.bytes)))
            try channel.writeInbound(AddressedEnvelope(remoteAddress: sender, data: ByteBuffer()))
        }
        #expect(record.instances == [["one", "192.0.2.1"]])
        _ = try channel.finish()
    }

    @Test func anObstacleIsToldOnceAndTriedAgain() {
        let record = Record()
        let loop = EmbeddedEventLoop()
        let listener = AnnouncementListener(interfaces: [], eventLoop: loop) {
            record.looks += 1
            throw Obstacle()
        }
        listener.start { record.events.append($0) }
        loop.advanceTime(by: .seconds(20))
        #expect(record.looks == 5)
        #expect(record.events.count == 1)
        listener.stop()
        loop.advanceTime(by: .seconds(20))
        #expect(record.looks == 5)
    }
}
