import CastWire
import GatewayCore
import Testing

@testable import DeviceSessions

@Suite struct SenderIDsTests {
    private final class Owner {}
    private let owner = Owner()
    private var ids = SenderIDs()

    private func north(_ connection: UInt64, _ end: EndpointID = "sender-0") -> SenderIDs.North {
        SenderIDs.North(
            relay: ObjectIdentifier(self.owner), connection: ConnectionID(rawValue: connection), end: end)
    }

    @Test mutating func equalIdsOfTwoSendersDoNotMeet() {
        let first = self.ids.south(of: self.north(1))
        let second = self.ids.south(of: self.north(2))
        #expect(first != second)
        #expect(self.ids.south(of: self.north(1)) == first)
        #expect(self.ids.north(of: first) == self.north(1))
        #expect(self.ids.north(of: second) == self.north(2))
    }

    @Test mutating func noIDIsThePlatforms() {
        #expect((0..<100).allSatisfy { _ in self.ids.south(of: self.north(1)) != .platformSender })
    }

    @Test mutating func aForgottenIDLeadsNowhereAndIsNotUsedAgain() {
        let old = self.ids.south(of: self.north(1))
        self.ids.remove(self.north(1))
        #expect(self.ids.north(of: old) == nil)
        #expect(self.ids.south(of: self.north(1)) != old)
        #expect(self.ids.north(of: old) == nil)
    }

    @Test mutating func aChannelTakesAllItsEndsAlong() {
        let gone = ["a", "b"].map { self.ids.south(of: self.north(1, EndpointID(rawValue: $0))) }
        let kept = self.ids.south(of: self.north(2))
        let other = Owner()
        let elsewhere = SenderIDs.North(
            relay: ObjectIdentifier(other), connection: ConnectionID(rawValue: 1), end: "a")
        let alsoKept = self.ids.south(of: elsewhere)
        self.ids.removeAll(relay: ObjectIdentifier(self.owner), connection: ConnectionID(rawValue: 1))
        #expect(gone.allSatisfy { self.ids.north(of: $0) == nil })
        #expect(self.ids.north(of: kept) != nil)
        #expect(self.ids.north(of: alsoKept) == elsewhere)
        #expect(self.ids.count == 2)
        withExtendedLifetime(other) {}
    }

    @Test mutating func comingAndGoingLeavesNothing() {
        for number in 0..<10_000 {
            let north = self.north(1, EndpointID(rawValue: "sender-\(number)"))
            _ = self.ids.south(of: north)
            self.ids.remove(north)
        }
        #expect(self.ids.count == 0)
    }
}
