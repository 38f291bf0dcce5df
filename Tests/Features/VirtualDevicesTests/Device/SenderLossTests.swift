import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayTesting
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import VirtualDevices

@Suite struct SenderLossTests {
    private let waiting = DeferringHandler(
        "waiting", [Claim(.exact("urn:x-cast:com.example.slow"), deadline: .seconds(60))])
    private let slow = CastMessage.request("X", id: 1, in: "urn:x-cast:com.example.slow")

    @Test func theTargetIsToldOnce() throws {
        let bench = try DeviceBench()
        let sender = try bench.connect(.connect("sender-0"))
        #expect(bench.device.senders.count == 1)
        sender.hangUp()
        #expect(bench.target.calls.last == .lost(sender.connection.id))
        #expect(bench.target.calls.count == 2)
        #expect(bench.device.senders.count == 0)
    }

    @Test func whoComesBehindTheEndIsHungUp() throws {
        let bench = try DeviceBench()
        bench.device.stop("the gateway stops")
        let late = try bench.connect()
        #expect(!late.isOpen)
        #expect(bench.device.senders.count == 0)
    }

    @Test func whatWasHeldBackIsNotSent() throws {
        let bench = try DeviceBench([self.waiting])
        let sender = try bench.connect(.connect("sender-0"), self.slow)
        sender.hangUp()
        self.waiting.deferrals.first?.complete(with: .forward)
        bench.loop.run()
        #expect(bench.target.received.isEmpty)
    }

    @Test func aMalformedFrameEndsOneSenderAndIsLoggedOnce() throws {
        let bench = try DeviceBench()
        let bad = try bench.connect(.connect("sender-0"))
        let good = try bench.connect(.connect("sender-0"))
        try bad.send([0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3])
        #expect(!bad.isOpen)
        #expect(bench.log.entries(atLeast: .notice).count == 1, "\(bench.log.entries)")
        #expect(bench.target.calls.last == .lost(bad.connection.id))
        let request = CastMessage.request("GET_STATUS", id: 1)
        try good.say(request)
        #expect(bench.target.received == [request])
    }

    @Test func messagesBeforeTheMalformedFrameCount() throws {
        let bench = try DeviceBench()
        let sender = try bench.connect(.connect("sender-0"))
        let request = CastMessage.request("GET_STATUS", id: 1)
        var bytes = Array(buffer: try CastMessage.frames([request]))
        bytes += [0, 0, 0, 2, 0xFF, 0xFF]
        try sender.send(bytes)
        #expect(bench.target.received == [request])
        #expect(!sender.isOpen)
    }

    @Test func anOrdinaryEndIsNoNotice() throws {
        let bench = try DeviceBench()
        try bench.connect(.connect("sender-0")).hangUp()
        #expect(bench.log.entries(atLeast: .notice).isEmpty)
    }

    @Test func drainingWaitsForWhatIsHeldBack() throws {
        let bench = try DeviceBench([self.waiting])
        let sender = try bench.connect(.connect("sender-0"), self.slow)
        var isDrained = false
        bench.device.drain(for: .seconds(30)).assumeIsolated().whenSuccess { isDrained = true }
        bench.loop.run()
        #expect(!isDrained)
        self.waiting.deferrals.first?.complete(with: .forward)
        bench.loop.run()
        #expect(isDrained)
        #expect(bench.target.received == [self.slow])
        #expect(sender.isOpen)
    }

    @Test func drainingEndsWithItsTime() throws {
        let bench = try DeviceBench([self.waiting])
        _ = try bench.connect(.connect("sender-0"), self.slow)
        var isDrained = false
        bench.device.drain(for: .seconds(10)).assumeIsolated().whenSuccess { isDrained = true }
        bench.loop.advanceTime(by: .seconds(9))
        #expect(!isDrained)
        bench.loop.advanceTime(by: .seconds(1))
        #expect(isDrained)
        // What comes later harms nothing.
        self.waiting.deferrals.first?.complete(with: .forward)
        bench.loop.run()
    }

    @Test func withNothingHeldBackDrainingIsDoneAtOnce() throws {
        let bench = try DeviceBench()
        var isDrained = false
        bench.device.drain(for: .seconds(10)).assumeIsolated().whenSuccess { isDrained = true }
        bench.loop.run()
        #expect(isDrained)
    }

    @Test func stoppingLetsEverySenderGo() throws {
        let bench = try DeviceBench()
        bench.target.echoes = true
        let senders = try (0..<3).map { _ in try bench.connect(.connect("sender-0")) }
        bench.device.stop("the gateway stops")
        bench.loop.run()
        #expect(senders.allSatisfy { !$0.isOpen })
        #expect(bench.device.senders.count == 0)
        #expect(bench.target.calls.contains(.stop))
        for sender in senders { #expect(bench.target.calls.contains(.lost(sender.connection.id))) }
    }
}
