import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import VirtualDevices

/// What the target says, and whom it reaches.
@Suite struct BroadcastTests {
    private let bench: DeviceBench
    private let status = CastMessage.request("RECEIVER_STATUS", id: 0, from: .platformReceiver, to: "*")

    init() throws {
        self.bench = try DeviceBench()
    }

    @Test func aBroadcastReachesConnectedSendersOnce() throws {
        let twice = try self.bench.connect(.connect("sender-0"), .connect("sender-1"))
        let once = try self.bench.connect(.connect("sender-0"))
        let elsewhere = try self.bench.connect(.connect("sender-0", to: "web-1"))
        let nowhere = try self.bench.connect()
        self.bench.device.broadcast(self.status)
        self.bench.device.flush()
        #expect(try twice.heard() == [self.status])
        #expect(try once.heard() == [self.status])
        #expect(try elsewhere.heard() == [])
        #expect(try nowhere.heard() == [])
    }

    @Test func whoClosedHearsNothingMore() throws {
        let sender = try self.bench.connect(.connect("sender-0"), .close("sender-0"))
        self.bench.device.broadcast(self.status)
        self.bench.device.flush()
        #expect(try sender.heard() == [])
    }

    @Test func anAnswerReachesOneSender() throws {
        let first = try self.bench.connect(.connect("sender-0"))
        let second = try self.bench.connect(.connect("sender-0"))
        let answer = CastMessage.request("RECEIVER_STATUS", id: 3, from: .platformReceiver, to: "sender-0")
        self.bench.device.send(answer, to: second.connection.id)
        self.bench.device.send(answer, to: ConnectionID(rawValue: 99))
        self.bench.device.flush()
        #expect(try first.heard() == [])
        #expect(try second.heard() == [answer])
    }

    @Test func nothingLeavesBeforeTheFlush() throws {
        let sender = try self.bench.connect(.connect("sender-0"))
        self.bench.device.broadcast(self.status)
        #expect(try sender.heard() == [])
        self.bench.device.flush()
        #expect(try sender.heard() == [self.status])
    }

    @Test func anAppThatIsGoneClosesItsConnections() throws {
        let sender = try self.bench.connect(
            .connect("b", to: "web-1"), .connect("a", to: "web-1"), .connect("a"))
        let other = try self.bench.connect(.connect("sender-0"))
        self.bench.device.closeVirtualConnections(of: "web-1")
        self.bench.device.broadcast(self.status)
        self.bench.device.flush()
        #expect(try sender.heard() == [.close("web-1", to: "a"), .close("web-1", to: "b"), self.status])
        #expect(try other.heard() == [self.status])
        try sender.say(.request("PLAY", id: 1, from: "a", to: "web-1", in: .media))
        #expect(try sender.heard() == [.close("web-1", to: "a")])
    }

    @Test func oneConnectionIsClosedOnce() throws {
        let sender = try self.bench.connect(.connect("a", to: "web-1"), .connect("b", to: "web-1"))
        let close = CastMessage.close("web-1", to: "a")
        let pair = VirtualConnection(local: "web-1", peer: "a")
        for _ in 0..<2 {
            self.bench.device.closeVirtualConnection(pair, on: sender.connection.id, message: close)
        }
        self.bench.device.flush()
        #expect(try sender.heard() == [close])
        #expect(sender.connection.virtualConnections.count == 1)
    }

    /// What does not fit into a frame is lost, but a sender that waits for it is told.
    @Test func inPlaceOfAnAnswerThatIsTooLargeComesAnError() throws {
        let sender = try self.bench.connect(.connect("sender-0"))
        let tail = String(repeating: "x", count: CastMessage.maximumBodyLength)
        for (id, destination) in [(3, "sender-0"), (0, "sender-0"), (4, "*")] {
            self.bench.device.send(
                CastMessage(
                    source: .platformReceiver, destination: EndpointID(rawValue: destination), namespace: .receiver,
                    json: ["type": "RECEIVER_STATUS", "requestId": .number(id), "tail": .string(tail)]),
                to: sender.connection.id)
        }
        self.bench.device.flush()
        let heard = try sender.heard()
        #expect(heard.map(\.destination) == ["sender-0"] && heard.map(\.source) == [.platformReceiver])
        #expect(
            heard.first?.payload.jsonObject == [
                "type": "INVALID_REQUEST", "requestId": 3, "reason": "APP_ERROR",
                "message": "the answer is too large for a message",
            ])
        #expect(sender.isOpen)
    }
}
