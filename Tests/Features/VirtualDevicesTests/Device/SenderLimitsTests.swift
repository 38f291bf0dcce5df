import CastTransport
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import VirtualDevices

/// What one sender, or one address, may do at a virtual device.
@Suite struct SenderLimitsTests {
    private let bench: DeviceBench

    init() throws {
        self.bench = try DeviceBench(messagesPerSecond: 4000)
    }

    @Test func aFloodOfConnectsEndsTheChannel() throws {
        let sender = try self.bench.connect()
        for _ in 0..<250 { try sender.say(.connect("sender-0"), .close("sender-0")) }
        #expect(sender.isOpen)
        try sender.say(.connect("sender-0"))
        self.bench.loop.run()
        #expect(!sender.isOpen)
        #expect(self.bench.log.entries(atLeast: .notice).last?.metadata["fault"] == "connect_flood")
        #expect(self.bench.target.calls.count == 501)
    }

    @Test func whatIsKeptOfConnectsIsSmall() throws {
        let sender = try self.bench.connect()
        let long = EndpointID(rawValue: String(repeating: "x", count: 257))
        try sender.say(.connect(long))
        try sender.say(
            .connect("sender-0", ["type": "CONNECT", "userAgent": .string(String(repeating: "x", count: 4096))]))
        #expect(try sender.heard().map(\.destination) == [long, "sender-0"])
        #expect(self.bench.target.calls.isEmpty)
        // Five channels of an address, each with as many as it may have, are one too many.
        var refused = 0
        for _ in 0..<5 {
            self.bench.loop.advanceTime(by: .seconds(1))
            let other = try self.bench.connect()
            for number in 0..<256 { try other.say(.connect(EndpointID(rawValue: "sender-\(number)"))) }
            refused += try other.heard().count
            if refused > 0 { other.hangUp() }
        }
        #expect(refused == 256)
        #expect(sender.connection.account.virtualConnections == 1024)
        try sender.say(.connect("sender-0"))
        #expect(try sender.heard().count { $0.namespace == .connection } == 1)
    }

    @Test func whatIsKeptOfConnectsIsCountedOverAllDevices() throws {
        var limits = ConnectionLimits(total: 9, perAddress: 9)
        limits.bytesPerAddress = 40 << 10
        let limiter = ConnectionLimiter(limits)
        let other = try DeviceBench(messagesPerSecond: 4000)
        let first = try limiter.admit("192.0.2.7", at: self.bench.loop.now)
        let second = try limiter.admit("192.0.2.7", at: self.bench.loop.now)
        let here = try EmbeddedSender(on: self.bench.loop, device: self.bench.device, admission: first)
        let there = try EmbeddedSender(on: other.loop, device: other.device, admission: second)
        let agent = JSONValue.string(String(repeating: "x", count: 1000))
        for number in 0..<10 {
            let end = EndpointID(rawValue: "sender-\(number)")
            try here.say(.connect(end, ["type": "CONNECT", "userAgent": agent]))
        }
        #expect(try here.heard().isEmpty)
        let used = limiter.bytes
        #expect(used >= 10 * (PeerCost.virtualConnection + 1000 * PeerCost.perConnectByte))
        for number in 0..<10 {
            let end = EndpointID(rawValue: "sender-\(number)")
            try there.say(.connect(end, ["type": "CONNECT", "userAgent": agent]))
        }
        // What does not fit is refused, and nothing of it is kept.
        let refused = try there.heard().count { $0.namespace == .connection }
        #expect((1...9).contains(refused))
        #expect(there.connection.virtualConnections.count == 10 - refused)
        #expect(limiter.bytes <= 40 << 10)
        for number in 0..<10 { try here.say(.close(EndpointID(rawValue: "sender-\(number)"))) }
        #expect(limiter.bytes < used)
        first.release()
        second.release()
        #expect(limiter.bytes == 0)
    }

    @Test func manySendersBehindOneAddressMayEachHaveVirtualConnections() throws {
        var senders: [EmbeddedSender] = []
        for _ in 0..<70 {
            let sender = try self.bench.connect()
            for number in 0..<16 { try sender.say(.connect(EndpointID(rawValue: "sender-\(number)"))) }
            senders.append(sender)
            self.bench.loop.advanceTime(by: .milliseconds(50))
        }
        #expect(self.bench.target.calls.count == 70 * 16)
        try senders[0].say(.connect("sender-16"))
        #expect(try senders[0].heard().map(\.destination) == ["sender-16"])
        #expect(self.bench.target.calls.count == 70 * 16)
    }

    @Test func anotherLimitCountsForThoseWhoAreConnected() throws {
        let sender = try self.bench.connect(.connect("sender-0"))
        self.bench.device.limit(to: SenderLimits { $0.messagesPerSecond = 64 })
        for id in 1...50 { try sender.say(.request("SET_VOLUME", id: id)) }
        #expect(self.bench.target.received.count <= 16)
        // Those who wait are let go on at once.
        self.bench.device.limit(to: SenderLimits { $0.messagesPerSecond = nil })
        self.bench.loop.advanceTime(by: .milliseconds(30))
        #expect(self.bench.target.received.count == 50)
        self.bench.device.limit(to: SenderLimits { $0.messagesPerSecond = 64 })
        let other = try self.bench.connect(.connect("sender-0"))
        for id in 1...50 { try other.say(.request("SET_VOLUME", id: id)) }
        #expect((60..<70).contains(self.bench.target.received.count))
    }

    @Test func launchesBeyondTheBudgetAreAnsweredAndGoNoFurther() throws {
        let sender = try self.bench.connect(.connect("sender-0"))
        // The address's other connection draws on the same budget.
        let other = try self.bench.connect(.connect("sender-0"))
        for id in 1...15 { try sender.say(.request("LAUNCH", id: id)) }
        for id in 1...15 { try other.say(.request("LAUNCH", id: id)) }
        #expect(self.bench.target.received.count == 20)
        #expect(try sender.heard().isEmpty)
        let refusals = try other.heard().compactMap(\.payload.jsonObject)
        #expect(refusals.count == 10)
        #expect(refusals.allSatisfy { $0.string("type") == "LAUNCH_ERROR" })
        #expect(sender.isOpen && other.isOpen)
        try other.say(.request("STOP", id: 16))
        self.bench.loop.advanceTime(by: .seconds(1))
        try other.say(.request("LAUNCH", id: 17))
        #expect(self.bench.target.received.count == 22)
    }

    @Test func challengesOfAnAddressAreCountedOverItsConnections() throws {
        let account = SenderAccount(block: AddressBlock("192.0.2.7"), messagesPerSecond: 10, eventLoop: self.bench.loop)
        let now = self.bench.loop.now
        #expect((0..<300).count { _ in account.mayChallenge(at: now) } == 200)
        #expect(!account.isIdle(at: now))
        #expect(account.isIdle(at: now + .seconds(10)))
    }

    @Test func logLinesOfAnAddressAreLimited() throws {
        for _ in 0..<500 { try self.bench.connect().hangUp() }
        let lines = self.bench.log.entries(atLeast: .info).filter { $0.metadata["address"] != nil }
        #expect(lines.count <= 60)
        self.bench.loop.advanceTime(by: .minutes(1))
        _ = try self.bench.connect()
        #expect(self.bench.log.entries(atLeast: .info).last?.metadata["suppressed"] != nil)
    }

    @Test func theAccountsOfThoseWhoAreGoneAreForgotten() {
        let loop = self.bench.loop
        var accounts = SenderAccounts(messagesPerSecond: 10, eventLoop: loop)
        let kept = accounts.open(AddressBlock("kept")) { _ in }
        kept.budget.charge(1, at: loop.now)
        for number in 0..<20_000 {
            let account = accounts.open(AddressBlock("\(number)")) { _ in }
            account.budget.charge(1, at: loop.now)
            accounts.close(account)
        }
        #expect(accounts.count <= 8192)
        loop.advanceTime(by: .minutes(1))
        for number in 0..<8192 { accounts.close(accounts.open(AddressBlock("y\(number)")) { _ in }) }
        #expect(accounts.count <= 512)
        #expect(accounts.open(AddressBlock("kept")) { _ in } === kept)
    }

    @Test func whoMakesTheDeviceSpeakToManyPaysForEach() throws {
        let channel = AddressBlock("192.0.2.7")
        let sender = try self.bench.connect(.connect("sender-0"))
        for _ in 0..<9 { _ = try self.bench.connect(.connect("sender-0")) }
        self.bench.target.onReceive = { [target = self.bench.target] message in
            target.output?.broadcast(
                CastMessage(source: .platformReceiver, destination: .broadcast, namespace: .receiver, json: [:]))
        }
        // 1000 at once, of which the 10 connections took one each; a broadcast to ten costs eleven.
        for id in 1...100 { try sender.say(.request("SET_VOLUME", id: id)) }
        #expect((80...96).contains(self.bench.target.received.count))
        let throttled = self.bench.log.entries(atLeast: .notice).filter { $0.message == "Sender throttled" }
        #expect(throttled.count == 1)
        #expect(throttled.first?.metadata["address"] == "\(channel)")
        #expect(throttled.first?.metadata["reason"] == "throttled")
        self.bench.loop.advanceTime(by: .seconds(1))
        #expect(self.bench.target.received.count == 100)
    }
}
