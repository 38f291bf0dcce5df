import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

@Suite struct HeldRequestsTests {
    private final class Owner {}
    private let owner = Owner()
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func north(_ connection: UInt64) -> SenderIDs.North {
        SenderIDs.North(
            relay: ObjectIdentifier(self.owner), connection: ConnectionID(rawValue: connection), end: "sender-0")
    }

    @Test func theyWaitForTheirTime() {
        var held = HeldRequests()
        #expect(held.nextDeadline == nil)
        let isFirstHeld = held.hold(.request("GET_STATUS", id: 1), for: self.north(1), until: self.start + .seconds(2))
        let isSecondHeld = held.hold(.request("GET_STATUS", id: 2), for: self.north(1), until: self.start + .seconds(1))
        #expect(isFirstHeld && isSecondHeld)
        #expect(held.nextDeadline == self.start + .seconds(1))
        #expect(held.takeExpired(at: self.start).isEmpty)
        #expect(held.takeExpired(at: self.start + .seconds(1)).map(\.message.requestID) == [2])
        #expect(held.takeAll().map(\.message.requestID) == [1])
        #expect(held.count == 0)
    }

    @Test func neitherOneNorAllMayFillThem() {
        var held = HeldRequests()
        for connection in 1...9 as ClosedRange<UInt64> {
            let taken = (0..<40).count { id in
                held.hold(.request("GET_STATUS", id: id), for: self.north(connection), until: self.start)
            }
            #expect(taken == (connection <= 8 ? 32 : 0))
        }
        #expect(held.count == 256)
        held.forget { $0.connection == ConnectionID(rawValue: 1) }
        #expect(held.count == 224)
        let long = CastMessage(
            source: "sender-0", destination: .platformReceiver, namespace: .receiver,
            json: ["type": "GET_STATUS", "requestId": 1, "x": .string(String(repeating: "x", count: 5000))])
        let isLongHeld = held.hold(long, for: self.north(1), until: self.start)
        #expect(!isLongHeld)
        #expect(held.takeAll(of: ObjectIdentifier(self.owner)).count == 224)
    }

    @Test func notesOfAvailabilityStaySmall() {
        var notes = AvailabilityNotes()
        let apps = (0..<100).map { AppID(rawValue: "APP\($0)") } + [.mirroring]
        notes.told(AppAvailability(of: apps, requestID: 1) { _ in false }, to: ConnectionID(rawValue: 1))
        #expect(notes.unavailableApps.count == 64)
        notes.learned(available: [.mirroring, "APP99"])
        #expect(notes.outdated.isEmpty)
        notes.told(AppAvailability(of: ["APP1"], requestID: 1) { _ in true }, to: ConnectionID(rawValue: 1))
        notes.learned(available: ["APP1"])
        #expect(notes.outdated.isEmpty)
        notes.learned(available: ["APP2"])
        #expect(notes.outdated == [ConnectionID(rawValue: 1)])
        notes.forget(ConnectionID(rawValue: 1))
        #expect(notes.outdated.isEmpty && notes.unavailableApps.isEmpty)
    }
}
