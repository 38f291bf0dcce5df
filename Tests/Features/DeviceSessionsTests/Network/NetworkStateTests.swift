import NIOCore
import Testing

@testable import DeviceSessions

/// What the kernel tells of the network, and what of it says that something came back.
@Suite struct NetworkStateTests {
    private static let up: UInt32 = 0x1_1043
    private static let noCarrier: UInt32 = 0x1003

    private static func message(_ kind: UInt16, _ write: (inout ByteBuffer) -> Void) -> ByteBuffer {
        var body = ByteBuffer()
        write(&body)
        var message = ByteBuffer()
        message.writeInteger(UInt32(16 + body.readableBytes), endianness: .host)
        message.writeInteger(kind, endianness: .host)
        message.writeRepeatingByte(0, count: 10)
        message.writeBuffer(&body)
        message.writeRepeatingByte(0, count: (4 - message.readableBytes % 4) % 4)
        return message
    }

    private static func attribute(_ kind: UInt16, _ value: [UInt8], in body: inout ByteBuffer) {
        body.writeInteger(UInt16(4 + value.count), endianness: .host)
        body.writeInteger(kind, endianness: .host)
        body.writeBytes(value)
        body.writeRepeatingByte(0, count: (4 - value.count % 4) % 4)
    }

    private static func link(_ index: Int32, _ flags: UInt32, kind: UInt16 = 16) -> ByteBuffer {
        Self.message(kind) { body in
            body.writeRepeatingByte(0, count: 4)
            body.writeInteger(index, endianness: .host)
            body.writeInteger(flags, endianness: .host)
            body.writeInteger(UInt32(0), endianness: .host)
            Self.attribute(3, Array("eth0\0".utf8), in: &body)
        }
    }

    private static func address(
        _ address: [UInt8], flags: UInt8 = 0x80, scope: UInt8 = 0, kind: UInt16 = 20
    ) -> ByteBuffer {
        Self.message(kind) { body in
            body.writeBytes([address.count == 4 ? 2 : 10, 24, flags, scope])
            body.writeInteger(UInt32(7), endianness: .host)
            Self.attribute(1, address, in: &body)
        }
    }

    private static func route(
        table: UInt8 = 254, kind: UInt8 = 1, flags: UInt32 = 0, family: UInt8 = 2, to destination: [UInt8] = []
    ) -> ByteBuffer {
        Self.message(24) { body in
            body.writeBytes([family, 0, 0, 0, table, 3, 0, kind])
            body.writeInteger(flags, endianness: .host)
            if !destination.isEmpty { Self.attribute(1, destination, in: &body) }
        }
    }

    private static let v4: [UInt8] = [10, 77, 0, 1]
    private static let v6: [UInt8] = [0xFD, 0] + Array(repeating: 0, count: 13) + [1]

    @Test func messagesAreRead() {
        var datagram = Self.link(7, Self.up)
        datagram.writeImmutableBuffer(Self.link(7, Self.noCarrier))
        datagram.writeImmutableBuffer(Self.link(7, Self.up, kind: 17))
        datagram.writeImmutableBuffer(Self.address(Self.v4))
        datagram.writeImmutableBuffer(Self.address(Self.v6, flags: 0x40))
        datagram.writeImmutableBuffer(Self.address(Self.v4, kind: 21))
        datagram.writeImmutableBuffer(Self.route())
        datagram.writeImmutableBuffer(Self.message(3) { $0.writeInteger(UInt32(0)) })
        #expect(
            NetlinkMessage.read(datagram) == [
                .link(index: 7, isRunning: true), .link(index: 7, isRunning: false), .linkGone(index: 7),
                .address(NetworkAddress(interface: 7, address: Self.v4)),
                .address(NetworkAddress(interface: 7, address: Self.v6, isUsable: false)),
                .addressGone(NetworkAddress(interface: 7, address: Self.v4)), .route, .done,
            ])
    }

    @Test func whatLeadsNowhereIsNotRead() {
        let loopback = Self.link(1, Self.up | 0x8)
        let host = Self.address([127, 0, 0, 1], scope: 254)
        let linkLocal: [UInt8] = [0xFE, 0x80] + Array(repeating: 0, count: 14)
        for message in [
            loopback, host, Self.route(table: 255), Self.route(kind: 5), Self.route(flags: 0x200),
            Self.route(family: 10, to: linkLocal), Self.message(28) { $0.writeInteger(UInt64(0)) },
        ] {
            #expect(NetlinkMessage.read(message).isEmpty)
        }
        #expect(NetlinkMessage.read(Self.route(family: 10, to: Self.v6)) == [.route])
    }

    /// Whatever is cut off or lies about its length: nothing traps, and what stands before is read.
    @Test func nonsenseEndsTheReading() {
        var datagram = Self.route()
        datagram.writeImmutableBuffer(Self.address(Self.v4))
        for length in 0..<datagram.readableBytes {
            let read = NetlinkMessage.read(datagram.getSlice(at: 0, length: length) ?? ByteBuffer())
            #expect(read.count <= 1 && read.allSatisfy { $0 == .route })
        }
        for length in [0, 1, 15, 17, 4000, UInt32.max] as [UInt32] {
            var bad = Self.route()
            bad.setInteger(length, at: 0, endianness: .host)
            _ = NetlinkMessage.read(bad)
        }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var bytes = Array(datagram.readableBytesView)
            for _ in 0..<4 { bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255) }
            _ = NetlinkMessage.read(ByteBuffer(bytes: bytes))
        }
    }

    @Test func onlyWhatWasGoneComesBack() {
        var state = NetworkState()
        let address = NetworkAddress(interface: 7, address: Self.v4)
        state.begin(with: [.link(index: 7, isRunning: true), .link(index: 8, isRunning: false), .address(address)])
        // Said again.
        #expect(state.take(.link(index: 7, isRunning: true)) == nil)
        #expect(state.take(.address(address)) == nil)
        // Cut, and back.
        #expect(state.take(.link(index: 7, isRunning: false)) == nil)
        #expect(state.take(.link(index: 7, isRunning: true)) == .link)
        #expect(state.take(.link(index: 8, isRunning: true)) == .link)
        #expect(state.take(.addressGone(address)) == nil)
        #expect(state.take(.address(address)) == .way)
        #expect(state.take(.route) == .way)
        // A link that is new leads nowhere before it has an address, nor does one that is still looked at.
        #expect(state.take(.link(index: 9, isRunning: true)) == nil)
        let looking = NetworkAddress(interface: 9, address: Self.v6, isUsable: false)
        #expect(state.take(.address(looking)) == nil)
        #expect(state.take(.address(NetworkAddress(interface: 9, address: Self.v6))) == .way)
        // With its link an address goes too.
        #expect(state.take(.linkGone(index: 9)) == nil)
        #expect(state.take(.address(NetworkAddress(interface: 9, address: Self.v6))) == .way)
    }

    @Test func whatComesTogetherIsActedOnTogetherAndTheLastIsNotLeftOut() {
        var pace = ReturnPace()
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        #expect(pace.noted(.way, at: start) == start + ReturnPace.gathering)
        #expect(pace.noted(.link, at: start) == nil)
        #expect(pace.noted(.way, at: start) == nil)
        let acted = start + ReturnPace.gathering
        #expect(pace.act(at: acted) == .link)
        #expect(pace.act(at: acted) == nil)
        // Soon after, it waits; later it does not.
        #expect(pace.noted(.way, at: acted + .milliseconds(10)) == acted + ReturnPace.interval)
        #expect(pace.act(at: acted + ReturnPace.interval) == .way)
        let later = acted + .seconds(60)
        #expect(pace.noted(.way, at: later) == later + ReturnPace.gathering)
    }

    @Test func theKernelTellsWhatIsThere() throws {
        let links = try NetlinkSocket.read(.links)
        let addresses = try NetlinkSocket.read(.addresses)
        #expect(links.last == .done && addresses.last == .done)
        _ = try NetlinkSocket.forChanges()
    }
}
