import CastWire
import GatewayConfig
import GatewayCore
import Testing

@testable import NamespaceHandlers

/// The messages that a channel takes, of senders and of callers alike.
struct ChannelGateTests {
    private static let caller = RateBuckets.Key(device: "hall", caller: "c")

    private let gate = ChannelGate(
        ChannelConfiguration(namespace: "urn:x-cast:com.example.a", devices: [Glob("room-*"), Glob("hall")]) {
            $0.legs = [.sender]
            $0.format = .json
            $0.limits.size = 10
            $0.limits.perSecond = 1
        }, among: ["room-1", "lobby"])

    @Test func itIsOpenOnItsDevicesAndLegs() {
        #expect(["room-1", "hall"].allSatisfy { self.gate.isMeant($0, on: .sender) })
        #expect(!self.gate.isMeant("lobby", on: .sender))
        #expect(!self.gate.isMeant("hall", on: .own))
    }

    /// A message that is refused for its payload uses nothing of the rate.
    @Test func sizeIsCheckedBeforeFormatAndFormatBeforeRate() {
        #expect(self.gate.admit(.text("no JSON, and long"), from: Self.caller) == .tooBig(10))
        #expect(self.gate.admit(.text("no JSON"), from: Self.caller) == .wrongFormat(.json))
        #expect(self.gate.admit(.text("{}"), from: Self.caller) == nil)
        #expect(self.gate.admit(.text("{}"), from: Self.caller) == .tooMany(1))
        #expect(self.gate.admit(.text("{}"), from: RateBuckets.Key(device: "hall", caller: "d")) == nil)
        #expect(self.gate.obstacle(of: .text("{}")) == nil)
    }
}
