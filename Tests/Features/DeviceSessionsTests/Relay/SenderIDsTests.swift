import CastWire
import GatewayCore
import Testing

@testable import DeviceSessions

@Suite struct SenderIDsTests {
    private final class Owner {}
    private let owner = Owner()
    private var ids = SenderIDs()

    private func sender(_ connection: UInt64, _ end: EndpointID = "sender-0") -> SenderEnd {
        SenderEnd(
            relay: ObjectIdentifier(self.owner), connection: ConnectionID(rawValue: connection), end: end)
    }

    @Test mutating func equalIdsOfTwoSendersDoNotMeet() {
        let first = self.ids.id(of: self.sender(1))
        let second = self.ids.id(of: self.sender(2))
        #expect(first != second)
        #expect(self.ids.id(of: self.sender(1)) == first)
        #expect(self.ids.sender(of: first) == self.sender(1))
        #expect(self.ids.sender(of: second) == self.sender(2))
    }

    @Test mutating func noIDIsThePlatforms() {
        #expect((0..<100).allSatisfy { _ in self.ids.id(of: self.sender(1)) != .platformSender })
    }

    @Test mutating func aForgottenIDLeadsNowhereAndIsNotUsedAgain() {
        let old = self.ids.id(of: self.sender(1))
        self.ids.remove(self.sender(1))
        #expect(self.ids.sender(of: old) == nil)
        #expect(self.ids.id(of: self.sender(1)) != old)
        #expect(self.ids.sender(of: old) == nil)
    }

    @Test mutating func aChannelTakesAllItsEndsAlong() {
        let gone = ["a", "b"].map { self.ids.id(of: self.sender(1, EndpointID(rawValue: $0))) }
        let kept = self.ids.id(of: self.sender(2))
        let other = Owner()
        let elsewhere = SenderEnd(
            relay: ObjectIdentifier(other), connection: ConnectionID(rawValue: 1), end: "a")
        let alsoKept = self.ids.id(of: elsewhere)
        self.ids.removeAll(relay: ObjectIdentifier(self.owner), connection: ConnectionID(rawValue: 1))
        #expect(gone.allSatisfy { self.ids.sender(of: $0) == nil })
        #expect(self.ids.sender(of: kept) != nil)
        #expect(self.ids.sender(of: alsoKept) == elsewhere)
        #expect(self.ids.count == 2)
        withExtendedLifetime(other) {}
    }

    @Test mutating func comingAndGoingLeavesNothing() {
        for number in 0..<10_000 {
            let sender = self.sender(1, EndpointID(rawValue: "sender-\(number)"))
            _ = self.ids.id(of: sender)
            self.ids.remove(sender)
        }
        #expect(self.ids.count == 0)
    }
}
