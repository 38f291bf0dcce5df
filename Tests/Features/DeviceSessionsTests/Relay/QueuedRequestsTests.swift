import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

@Suite struct QueuedRequestsTests {
    private final class Owner {}
    private let owner = Owner()
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func sender(_ connection: UInt64) -> SenderEnd {
        SenderEnd(
            relay: ObjectIdentifier(self.owner), connection: ConnectionID(rawValue: connection), end: "sender-0")
    }

    @Test func theyWaitForTheirTime() {
        var queue = QueuedRequests()
        #expect(queue.nextDeadline == nil)
        let isFirstTaken = queue.add(
            .request("GET_STATUS", id: 1), for: self.sender(1), until: self.start + .seconds(2))
        let isSecondTaken = queue.add(
            .request("GET_STATUS", id: 2), for: self.sender(1), until: self.start + .seconds(1))
        #expect(isFirstTaken && isSecondTaken)
        #expect(queue.nextDeadline == self.start + .seconds(1))
        #expect(queue.takeExpired(at: self.start).isEmpty)
        #expect(queue.takeExpired(at: self.start + .seconds(1)).map(\.message.requestID) == [2])
        #expect(queue.takeAll().map(\.message.requestID) == [1])
        #expect(queue.count == 0)
    }

    @Test func neitherOneNorAllMayFillThem() {
        var queue = QueuedRequests()
        for connection in 1...9 as ClosedRange<UInt64> {
            let taken = (0..<40).count { id in
                queue.add(.request("GET_STATUS", id: id), for: self.sender(connection), until: self.start)
            }
            #expect(taken == (connection <= 8 ? 32 : 0))
        }
        #expect(queue.count == 256)
        queue.forget { $0.connection == ConnectionID(rawValue: 1) }
        #expect(queue.count == 224)
        let long = CastMessage(
            source: "sender-0", destination: .platformReceiver, namespace: .receiver,
            json: ["type": "GET_STATUS", "requestId": 1, "x": .string(String(repeating: "x", count: 5000))])
        let isLongTaken = queue.add(long, for: self.sender(1), until: self.start)
        #expect(!isLongTaken)
        #expect(queue.takeAll(of: ObjectIdentifier(self.owner)).count == 224)
    }

    @Test func notesOfAvailabilityStaySmall() {
        var notes = AvailabilityNotes()
        let apps = (0..<100).map { AppID(rawValue: "APP\($0)") } + [.mirroring]
        notes.told(AppAvailability(of: apps, requestID: 1) { _ in false }, to: ConnectionID(rawValue: 1))
        #expect(notes.missingApps.count == 64)
        notes.learned(available: [.mirroring, "APP99"])
        #expect(notes.outdated.isEmpty)
        notes.told(AppAvailability(of: ["APP1"], requestID: 1) { _ in true }, to: ConnectionID(rawValue: 1))
        notes.learned(available: ["APP1"])
        #expect(notes.outdated.isEmpty)
        notes.learned(available: ["APP2"])
        #expect(Set(notes.outdated) == [ConnectionID(rawValue: 1)])
        // One that has asked again by itself need not be told to.
        notes.told(AppAvailability(of: ["APP2", "APP3"], requestID: 2) { $0 == "APP2" }, to: ConnectionID(rawValue: 1))
        #expect(notes.outdated.isEmpty && notes.missingApps.contains("APP3"))
        notes.told(AppAvailability(of: ["APP2"], requestID: 3) { _ in false }, to: ConnectionID(rawValue: 1))
        notes.learnedNothingHolds()
        #expect(Set(notes.outdated) == [ConnectionID(rawValue: 1)])
        notes.forget(ConnectionID(rawValue: 1))
        #expect(notes.outdated.isEmpty && notes.missingApps.isEmpty)
    }
}
