import CastIdentity
import CastwayTestSupport
import GatewayOperations
import Testing

@testable import GuestAccess

/// What is kept of guests who have left while a device may still play what they began.
@Suite(.timeLimit(.minutes(1))) struct DepartureStoreTests {
    private static let hall = GuestSession(device: "hall", session: "s-1")
    private static let room = GuestSession(device: "room-12", session: "s-2")

    private func guest(_ id: String = "g-1", address: String? = "192.0.2.7") -> Guest {
        Guest(
            id: id, name: "guest", code: "j-1", address: address,
            devices: [DevicePattern("hall"), DevicePattern("room-*")], token: nil, joined: UTCTime(seconds: 10),
            expires: UTCTime(seconds: 9000))
    }

    private func open(_ folder: TemporaryFolder) throws -> DepartureStore {
        try JoinStore(IdentityStore.open(stateDirectory: folder.path).database).departures
    }

    /// Check-out keeps what is to be ended in the same step that forgets the guest.
    @Test func whoLeavesIsKeptUntilAllHasEnded() throws {
        let bench = try JoinDeskBench()
        let made = try bench.create(["hall", "room-12"])
        let id = bench.redeem(.digits(made.digits))
        let store = try JoinStore(IdentityStore.open(stateDirectory: bench.folder.path).database)
        try store.add(Self.hall, of: id)
        try store.add(Self.room, of: id)
        try bench.restart()
        _ = try bench.desk.register.checkOut(bench.desk.register.guests, by: .admin)
        let now = UTCTime(seconds: bench.time.now)
        let kept = try self.open(bench.folder).unfinished(at: now)
        #expect(kept.map(\.guest.id) == [id] && kept.first?.sessions == [Self.hall, Self.room])
        #expect(kept.first?.guest.address == JoinDeskBench.address && kept.first?.isResumed == true)
        #expect(kept.first?.guest.mayUse(device: "hall") == true && kept.first?.reason.hasPrefix("checked out") == true)
        // One app has ended, then the other.
        let rest = GuestDeparture(guest: try #require(kept.first).guest, sessions: [Self.room], reason: "out")
        try store.departures.replace(rest, at: now)
        #expect(try self.open(bench.folder).unfinished(at: now).map(\.sessions) == [[Self.room]])
        try store.departures.forget(id)
        #expect(try self.open(bench.folder).unfinished(at: now).isEmpty)
    }

    @Test func whoHasJoinedNothingIsNotKept() throws {
        let bench = try JoinDeskBench()
        _ = bench.redeem(.digits(try bench.create(["hall"]).digits))
        _ = try bench.desk.register.checkOut(bench.desk.register.guests, by: .admin)
        let store = try self.open(bench.folder)
        #expect(try store.unfinished(at: UTCTime(seconds: bench.time.now)).isEmpty)
        try store.replace(
            GuestDeparture(guest: self.guest(address: nil), sessions: [Self.hall], reason: "out"),
            at: UTCTime(seconds: 1))
        try store.replace(
            GuestDeparture(guest: self.guest(), sessions: [], reason: "out"), at: UTCTime(seconds: 1))
        #expect(try store.unfinished(at: UTCTime(seconds: 1)).isEmpty)
    }

    /// The day counts from when the guest left, however often the rest is written down.
    @Test func whoLeftADayAgoIsForgotten() throws {
        let store = try self.open(TemporaryFolder())
        let departure = GuestDeparture(guest: self.guest(), sessions: [Self.hall, Self.room], reason: "out")
        try store.replace(departure, at: UTCTime(seconds: 1000))
        try store.replace(
            GuestDeparture(guest: self.guest(), sessions: [Self.hall], reason: "out"), at: UTCTime(seconds: 50_000))
        let last = UTCTime(seconds: 1000 + DepartureStore.longestWait - 1)
        #expect(try store.unfinished(at: last).map(\.sessions) == [[Self.hall]])
        let over = UTCTime(seconds: 1000 + DepartureStore.longestWait)
        #expect(try store.unfinished(at: over).isEmpty)
        #expect(try store.unfinished(at: last).isEmpty, "it is forgotten, not passed over")
    }

    @Test func thoseWhoLeftFirstMakeRoom() throws {
        let folder = try TemporaryFolder()
        let store = try self.open(folder)
        for number in 0...DepartureStore.capacity {
            try store.replace(
                GuestDeparture(guest: self.guest("g-\(number)"), sessions: [Self.hall], reason: "out"),
                at: UTCTime(seconds: Int64(number)))
        }
        let kept = try store.unfinished(at: UTCTime(seconds: 2000)).map(\.guest.id)
        #expect(kept.count == DepartureStore.capacity && kept.first == "g-1")
        #expect(kept.last == "g-\(DepartureStore.capacity)")
    }
}
