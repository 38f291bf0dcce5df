import Testing

@testable import BuiltInReceiver

@Suite struct SpeakerGroupTableTests {
    /// A book, with the seats that it gave.
    private struct Bench {
        var book = SpeakerGroupTable()
        var seats: [String: Int] = [:]
        var states: [String: SpeakerState] = [:]

        /// Kitchen, hall and attic, and a group `house` of the first two; all have looked.
        init() {
            for (name, level) in [("kitchen", 0.2), ("hall", 0.6), ("attic", 0.5)] as [(String, Float)] {
                var state = SpeakerState(device: name)
                state.deviceID = "id-\(name)"
                state.level = level
                self.enter(state)
            }
            self.enter(SpeakerState(device: "house"), members: ["kitchen", "hall"])
            for name in self.seats.keys { _ = self.look(name) }
        }

        mutating func enter(_ state: SpeakerState, members: [String]? = nil) {
            self.states[state.device] = state
            self.seats[state.device] = self.book.enter(state, members: members).seat
        }

        mutating func look(_ name: String) -> GroupView { self.book.look(name, self.seats[name] ?? 0) }

        mutating func report(_ name: String, _ change: (inout SpeakerState) -> Void) -> [String] {
            var state = self.states[name] ?? SpeakerState(device: name)
            change(&state)
            self.states[name] = state
            return self.book.report(state, self.seats[name] ?? 0)
        }
    }

    // MARK: Volume

    @Test(
        arguments: [
            ([0.2, 0.6], 0.2, [0.1, 0.3]), ([0.2, 0.6], 0, [0, 0]), ([0, 0], 0.3, [0.3, 0.3]),
            ([0.2, 0.6], 1, [1, 1]), ([0.2, 0.6], 0.7, [0.6, 0.8]), ([1, 1], 0.4, [0.4, 0.4]), ([], 0.5, []),
        ] as [([Float], Float, [Float])])
    func theMeanBecomesWhatIsWanted(levels: [Float], wanted: Float, expected: [Float]) {
        let scaled = GroupVolume.scaled(levels, to: wanted)
        #expect(scaled.count == expected.count)
        for (level, other) in zip(scaled, expected) { #expect(abs(level - other) < 0.0001) }
    }

    @Test func aGroupsVolumeIsAskedOfEachMember() {
        var bench = Bench()
        let before = bench.look("house").volume?.level
        #expect(before.map { abs($0 - 0.4) < 0.0001 } == true)
        let called = bench.book.change(VolumeOrder(level: 0.2, isMuted: true), ofGroup: "house")
        #expect(called == ["hall", "house", "kitchen"])
        let (hall, house) = (bench.look("hall"), bench.look("house"))
        #expect(hall.order?.level.map { abs($0 - 0.3) < 0.0001 } == true)
        #expect(hall.order?.isMuted == true)
        #expect(house.volume.map { abs($0.level - 0.2) < 0.0001 && $0.isMuted } == true)
        // An order is given once.
        let again = bench.look("hall").order
        #expect(again == nil)
    }

    @Test func aMemberThatHasNotHeardOfItsVolumeYetTakesNothingBack() {
        var bench = Bench()
        _ = bench.book.change(VolumeOrder(level: 0.2), ofGroup: "house")
        let called = bench.report("hall") { $0.level = 0.9 }
        #expect(called == [])
        let level = bench.look("house").members?[1].level
        #expect(level.map { abs($0 - 0.3) < 0.0001 } == true)
        // Once it has, what it says holds.
        _ = bench.look("hall")
        let told = bench.report("hall") { $0.level = 0.8 }
        #expect(told == ["hall", "house"])
        let new = bench.look("house").members?[1].level
        #expect(new == 0.8)
    }

    @Test func fixedMembersStayAsTheyAreAndDoNotCount() {
        var bench = Bench()
        _ = bench.report("hall") { $0.isFixed = true }
        let mean = bench.look("house").volume?.level
        #expect(mean == 0.2)
        _ = bench.book.change(VolumeOrder(level: 0.5), ofGroup: "house")
        let members = bench.look("house").members
        #expect(members?.map(\.level) == [0.5, 0.6])
        _ = bench.report("kitchen") { $0.isFixed = true }
        let isFixed = bench.look("house").isVolumeFixed
        #expect(isFixed)
    }

    // MARK: Calls

    @Test func whoHasNotLookedIsNotCalledAgain() {
        var bench = Bench()
        let first = bench.report("kitchen") { $0.level = 0.3 }
        #expect(first == ["hall", "house", "kitchen"])
        let second = bench.report("kitchen") { $0.level = 0.4 }
        #expect(second == [])
        _ = bench.look("house")
        let third = bench.report("kitchen") { $0.level = 0.5 }
        #expect(third == ["house"])
        let nothingNew = bench.report("kitchen") { $0.level = 0.5 }
        #expect(nothingNew == [])
        // The attic is in no group.
        let attic = bench.report("attic") { $0.level = 0.1 }
        #expect(attic == [])
    }

    @Test func membersSeeWhatGroupsRunNewestLast() {
        var bench = Bench()
        bench.enter(SpeakerState(device: "floor"), members: ["hall"])
        _ = bench.report("house") { $0.session = GroupSession(id: "s1", displayName: "Film", statusText: "") }
        _ = bench.report("floor") { $0.session = GroupSession(id: "s2", displayName: "Song", statusText: "") }
        let (hall, kitchen, attic) = (bench.look("hall"), bench.look("kitchen"), bench.look("attic"))
        #expect(hall.playing.sorted { $0.order < $1.order }.map(\.session.id) == ["s1", "s2"])
        #expect(kitchen.playing.map(\.session.id) == ["s1"])
        #expect(kitchen.playing.first?.members.map(\.device) == ["kitchen", "hall"])
        #expect(attic == GroupView())
        // Another text of the same session is no newer session.
        _ = bench.report("house") { $0.session?.statusText = "Now" }
        let order = bench.look("hall").playing.max { $0.order < $1.order }?.session.id
        #expect(order == "s2")
        _ = bench.report("floor") { $0.session = nil }
        let left = bench.look("hall").playing.map(\.session.id)
        #expect(left == ["s1"])
    }

    @Test func whoEndsIsSeenNoMoreAndWhoTookItsPlaceStays() {
        var bench = Bench()
        let old = bench.seats["hall"] ?? 0
        var state = SpeakerState(device: "hall")
        state.deviceID = "id-new"
        bench.enter(state)
        let called = bench.book.leave("hall", old)
        #expect(called == [])
        let members = bench.look("house").members?.map(\.deviceID)
        #expect(members == ["id-kitchen", "id-new"])
        _ = bench.look("kitchen")
        let gone = bench.book.leave("hall", bench.seats["hall"] ?? 0)
        #expect(gone == ["house", "kitchen"])
        let left = bench.look("house").members?.map(\.deviceID)
        #expect(left == ["id-kitchen"])
        #expect(bench.book.members(of: "house")?.map(\.deviceID) == ["id-kitchen", nil])
    }

    // MARK: Members

    @Test func membersComeAndGoAtRunTime() throws {
        var bench = Bench()
        let result = try bench.book.change("house", adding: ["attic", "hall"], removing: ["kitchen"])
        #expect(result.called == ["attic", "hall", "house", "kitchen"])
        #expect(result.changes.map(\.member) == ["kitchen", "attic"])
        #expect(result.changes.map(\.isMember) == [false, true])
        #expect(bench.book.members(of: "house")?.map(\.device) == ["hall", "attic"])
        // The file says the same as before: what was changed stays.
        let same = bench.book.reconfigure("house", bench.seats["house"] ?? 0, members: ["kitchen", "hall"])
        #expect(same.changes.isEmpty)
        #expect(bench.book.members(of: "house")?.count == 2)
        let other = bench.book.reconfigure("house", bench.seats["house"] ?? 0, members: ["kitchen"])
        #expect(other.changes.map(\.member) == ["hall", "attic", "kitchen"])
        // It is a group no more.
        let none = bench.book.reconfigure("house", bench.seats["house"] ?? 0, members: nil)
        #expect(none.changes.map(\.isMember) == [false])
        #expect(bench.book.members(of: "house") == nil)
    }

    @Test(
        arguments: [
            ("attic", ["hall"], [], .noGroup), ("house", ["cellar"], [], .notLocal("cellar")),
            ("house", ["house"], [], .isGroup("house")), ("house", [], ["attic"], .noMember("attic")),
            ("house", [], ["kitchen", "hall"], .noneLeft),
        ] as [(String, [String], [String], SpeakerGroups.Refusal)])
    func whatCannotBeIsRefused(
        group: String, added: [String], removed: [String], refusal: SpeakerGroups.Refusal
    ) {
        var bench = Bench()
        #expect(throws: refusal) { try bench.book.change(group, adding: added, removing: removed) }
        #expect(bench.book.members(of: "house")?.map(\.device) == ["kitchen", "hall"])
    }

    @Test func aGroupHasSixteenMembersAtMost() throws {
        var bench = Bench()
        let names = (1...15).map { "room-\($0)" }
        for name in names { bench.enter(SpeakerState(device: name)) }
        #expect(throws: SpeakerGroups.Refusal.tooMany) {
            try bench.book.change("house", adding: names, removing: [])
        }
        let result = try bench.book.change("house", adding: names, removing: ["hall"])
        #expect(result.changes.count == 16)
    }

    @Test func idsGetTheirDashes() {
        #expect(
            SpeakerState.dashed("1531DD63000040008000998E633DB4DA") == "1531dd63-0000-4000-8000-998e633db4da")
        #expect(SpeakerState.dashed("1531dd63-0000-4000-8000-998e633db4da") == "1531dd63-0000-4000-8000-998e633db4da")
        #expect(SpeakerState.dashed("abc") == "abc")
    }
}
