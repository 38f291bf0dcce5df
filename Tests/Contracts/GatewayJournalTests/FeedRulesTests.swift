import CastWire
import GatewayCore
import GatewayOperations
import NIOCore
import Synchronization
import Testing

@testable import GatewayJournal

/// What a reader gets when: each rule of a feed by itself.
@Suite(.timeLimit(.minutes(1))) struct FeedRulesTests {
    private static func log(_ number: Int, device: String = "hall") -> GatewayEvent {
        .senderThrottled(device: device, address: "192.0.2.1", count: number)
    }

    private static func state(_ number: Int, device: String = "hall") -> GatewayEvent {
        .receiverStatus(device: device, status: ["volume": ["level": .number(number)]])
    }

    private static func position(_ seq: UInt64, boot: String = "b1") -> JournalPosition {
        JournalPosition(boot: boot, seq: seq)
    }

    // MARK: Beginning and coming back

    @Test func aReaderThatBeginsGetsASnapshotAndThenWhatHappens() throws {
        let bench = JournalBench()
        bench.publish(Self.log(1), Self.state(2), Self.state(3), Self.state(4, device: "office"))
        let reader = try bench.reader()
        #expect(
            reader.take() == [
                "hello 4 1", "snapshot receiver.status 3", "snapshot receiver.status 4", "synced 4",
            ])
        bench.publish(Self.log(5), Self.state(6))
        #expect(reader.take() == ["sender.throttled 5", "receiver.status 6"])
        #expect(reader.take().isEmpty)
    }

    @Test func aFrameSaysWhatHappened() throws {
        let bench = JournalBench()
        let reader = try bench.reader()
        _ = reader.take()
        bench.publish(Self.state(2), Self.state(3))
        let json = reader.frames().last.map(BenchReader.json) ?? [:]
        #expect(
            JSONValue.object(json).text
                == #"{"boot":"b1","seq":2,"at":"2023-11-14T22:13:20.000Z","type":"receiver.status","device":"hall","rev":2,"data":{"status":{"volume":{"level":3}}}}"#
        )
    }

    @Test func whatIsGoneIsInNoSnapshot() throws {
        let bench = JournalBench()
        bench.publish(.virtualDeviceAdded(device: "hall"), Self.state(2))
        bench.publish(.mediaStatus(device: "hall", transportID: "t", status: ["mediaSessionId": 1]))
        #expect(try bench.reader().take().count == 4)
        // What plays on a virtual device goes with it.
        bench.publish(.virtualDeviceRemoved(device: "hall"))
        #expect(
            try bench.reader(from: Self.position(3)).take() == [
                "hello 5 1", "media.status 4", "virtual_device.removed 5", "synced 5",
            ])
        #expect(try bench.reader().take() == ["hello 5 1", "synced 5"])
        // One of the same name is newer than the one before.
        bench.publish(.virtualDeviceAdded(device: "hall"))
        let frames = try bench.reader().frames().map(BenchReader.json)
        #expect(frames.contains { $0.string("frame") == "snapshot" && $0.int("rev") == 4 })
    }

    @Test func aReaderThatComesBackGetsWhatItMissed() throws {
        let bench = JournalBench()
        bench.publish(Self.log(1), Self.state(2), Self.log(3), Self.state(4))
        #expect(
            try bench.reader(from: Self.position(2)).take() == [
                "hello 4 1", "sender.throttled 3", "receiver.status 4", "synced 4",
            ])
        #expect(try bench.reader(from: Self.position(4)).take() == ["hello 4 1", "synced 4"])
    }

    @Test func aPositionThatCannotBeFollowedIsSaid() throws {
        let bench = JournalBench { $0.history = 3 * 512 }
        for number in 1...10 { bench.publish(Self.state(number)) }
        #expect(
            try bench.reader(from: Self.position(3, boot: "b0")).take() == [
                "hello 10 8", "resync other_boot", "snapshot receiver.status 10", "synced 10",
            ])
        #expect(try bench.reader(from: Self.position(11)).take()[1] == "resync ahead")
        #expect(try bench.reader(from: Self.position(6)).take()[1] == "resync too_old")
        #expect(
            try bench.reader(from: Self.position(7)).take() == [
                "hello 10 8", "receiver.status 8", "receiver.status 9", "receiver.status 10", "synced 10",
            ])
    }

    @Test func historyEndsWithItsAge() throws {
        let bench = JournalBench()
        bench.publish(Self.log(1))
        bench.pass(.minutes(6))
        bench.publish(Self.log(2))
        bench.pass(.minutes(5))
        #expect(try bench.reader(from: Self.position(1)).take() == ["hello 2 2", "sender.throttled 2", "synced 2"])
        #expect(try bench.reader(from: Self.position(0)).take()[1] == "resync too_old")
        bench.pass(.minutes(6))
        #expect(try bench.reader(from: Self.position(2)).take() == ["hello 2 3", "synced 2"])
    }

    @Test func aLongWayWithoutAnythingForTheReaderIsWalkedInStrides() throws {
        let bench = JournalBench()
        for number in 1...(2 * FeedState.steps + 10) { bench.publish(Self.log(number)) }
        let topics = EventTopics([.init(type: DevicePattern("plugin.*"))])
        bench.journal.withStore { store in
            var feed = FeedState(
                topics, for: .admin, from: Self.position(0), in: store, features: [], limits: JournalLimits(),
                at: bench.journal.now)
            var taken: [[JournalFrame.Kind]] = []
            while feed.needsStore {
                taken.append(feed.take(upTo: .max, from: &store, at: bench.journal.now).frames.map(\.kind))
            }
            #expect(taken == [[.hello], [], [.synced]])
        }
        #expect(try bench.reader(topics, from: Self.position(0)).take() == ["hello 522 1", "synced 522"])
    }

    @Test func aReaderThatCatchesUpTooSlowlyBeginsAnew() throws {
        let bench = JournalBench { $0.history = 4 * 512 }
        bench.publish(Self.log(1), Self.log(2), Self.log(3))
        let reader = try bench.reader(from: Self.position(0))
        #expect(reader.feed.take(upTo: 1).count == 1)
        #expect(reader.feed.take(upTo: 1).count == 1)
        for number in 4...20 { bench.publish(Self.log(number)) }
        #expect(reader.take() == ["resync too_old", "synced 20"])
        bench.publish(Self.log(21))
        #expect(reader.take() == ["sender.throttled 21"])
    }

    @Test func anIdleReaderGetsBookmarks() throws {
        let bench = JournalBench()
        let reader = try bench.reader(EventTopics([.init(type: DevicePattern("plugin.*"))]))
        bench.publish(Self.log(1))
        _ = reader.take()
        bench.publish(Self.log(2))
        bench.pass(.seconds(9))
        #expect(reader.take().isEmpty)
        bench.pass(.seconds(1))
        #expect(reader.take() == ["bookmark 2"])
        bench.pass(.seconds(10))
        bench.pass(.seconds(10))
        #expect(reader.take() == ["bookmark 2"])
    }

    // MARK: Choosing

    @Test func aReaderGetsItsTopics() throws {
        let bench = JournalBench()
        let topics = EventTopics([
            .init(type: DevicePattern("receiver.*"), device: DevicePattern("room-1*")),
            .init(type: DevicePattern("plugin.*")),
        ])
        let reader = try bench.reader(topics)
        _ = reader.take()
        bench.publish(
            Self.state(1, device: "room-12"), Self.state(2, device: "hall"), Self.log(3, device: "room-12"),
            .plugin(name: "quiz", .ready(version: "1")))
        #expect(reader.take() == ["receiver.status 1", "plugin.ready 4"])
    }

    @Test func aCallerThatIsLimitedToDevicesSeesThoseOnly() async throws {
        let bench = JournalBench()
        let caller = Caller(name: "guest", scopes: [.read], devices: [DevicePattern("hall")])
        bench.publish(Self.state(1), Self.state(2, device: "office"), .plugin(name: "quiz", .ready(version: "1")))
        let reader = try bench.reader(for: caller)
        #expect(reader.take() == ["hello 3 1", "snapshot receiver.status 1", "synced 3"])
        bench.publish(Self.log(4, device: "office"), .reloadFailed(reason: "no"), Self.log(6))
        #expect(reader.take() == ["sender.throttled 6"])
        let state = await bench.journal.state(for: caller)
        #expect(state.int("seq") == 6)
        #expect(state.object("resources")?.array("virtual_device")?.count == 1)
        #expect(state.object("resources")?.array("plugin")?.isEmpty == true)
    }

    @Test func membersOfAGroupAreToldToThoseWhoMayUseThem() throws {
        let bench = JournalBench()
        let limited = try bench.reader(
            for: Caller(name: "guest", scopes: [.read], devices: [DevicePattern("house"), DevicePattern("hall")]))
        let all = try bench.reader()
        _ = (limited.take(), all.take())
        bench.publish(
            .groupMember(device: "house", member: "office", isMember: true),
            .groupMember(device: "house", member: "hall", isMember: true),
            .groupMember(device: "house", member: "office", isMember: false))
        #expect(limited.take() == ["group.member_added 2"])
        #expect(all.take() == ["group.member_added 1", "group.member_added 2", "group.member_removed 3"])
    }

    @Test func aCallerWithoutTheScopeSeesNothing() throws {
        let bench = JournalBench()
        let reader = try bench.reader(for: Caller(name: "writer", scopes: [.control]))
        bench.publish(Self.log(1))
        #expect(reader.take() == ["hello 0 1", "synced 0"])
    }

    // MARK: Readers that are slow

    @Test func aSlowReaderGetsTheNewestOfEachResource() throws {
        let bench = JournalBench { $0.clientBudget = 16 << 10 }
        let reader = try bench.reader()
        _ = reader.take()
        for number in 1...100 { bench.publish(Self.state(number), Self.state(number, device: "office")) }
        let taken = reader.take()
        #expect(taken == ["coalesced 99", "receiver.status 199", "coalesced 99", "receiver.status 200"])
        // Then it is slow no more.
        bench.publish(Self.state(201), Self.state(202))
        #expect(reader.take() == ["receiver.status 201", "receiver.status 202"])
    }

    @Test func logEventsBeyondTheBudgetBecomeAGap() throws {
        let bench = JournalBench { $0.clientBudget = 16 << 10 }
        let reader = try bench.reader()
        _ = reader.take()
        for number in 1...100 { bench.publish(Self.log(number)) }
        bench.publish(Self.state(101))
        for number in 102...110 { bench.publish(Self.log(number)) }
        #expect(reader.feed.heldBytes <= 16 << 10)
        let taken = reader.take()
        let received = taken.count { $0.hasPrefix("sender.throttled") }
        #expect(received > 10 && received < 40)
        // A gap stands before what happened later.
        #expect(
            taken.suffix(3) == [
                "gap \(received + 1)-100 (\(100 - received))", "receiver.status 101", "gap 102-110 (9)",
            ])
        bench.publish(Self.log(111))
        #expect(reader.take() == ["sender.throttled 111"])
    }

    @Test func aReaderWhoseLossIsGoneIsTooSlow() throws {
        let bench = JournalBench {
            $0.clientBudget = 16 << 10
            $0.history = 64 << 10
        }
        let reader = try bench.reader()
        _ = reader.take()
        bench.publish(Self.log(1))
        #expect(reader.take() == ["sender.throttled 1"])
        for number in 2...150 { bench.publish(Self.log(number)) }
        bench.pass(.seconds(1))
        #expect(reader.feed.end == nil)
        for number in 151...400 { bench.publish(Self.log(number)) }
        bench.pass(.seconds(1))
        #expect(reader.feed.end == FeedEnd(reason: "too_slow", position: Self.position(1)))
        #expect(reader.feed.heldBytes == 0)
        #expect(reader.take().isEmpty)
        #expect(bench.journal.readerCount == 0)
    }

    @Test func aReaderThatTakesNothingIsTooSlow() throws {
        let bench = JournalBench()
        let reader = try bench.reader()
        let stuck = try bench.reader()
        _ = stuck.feed.take(upTo: 1)
        _ = reader.take()
        bench.pass(.minutes(9))
        bench.publish(Self.state(1))
        bench.pass(.minutes(1))
        #expect(reader.feed.end == nil)
        #expect(stuck.feed.end == FeedEnd(reason: "too_slow", position: Self.position(0)))
        bench.pass(.minutes(9))
        #expect(reader.feed.end == FeedEnd(reason: "too_slow", position: Self.position(0)))
    }

    @Test func aBudgetFullOfResourcesIsTooSlow() throws {
        let bench = JournalBench { $0.clientBudget = 16 << 10 }
        let reader = try bench.reader()
        _ = reader.take()
        for number in 1...200 { bench.publish(Self.state(number, device: "room-\(number)")) }
        #expect(reader.feed.end?.reason == "too_slow")
        let next = try bench.reader(from: reader.feed.end?.position)
        #expect(next.take().count == 202)
    }

    @Test func whatWaitsForAllReadersIsLimitedAndTheSlowestGoes() throws {
        let bench = JournalBench { $0.readersBudget = 64 << 10 }
        let (slow, slower, quick) = (try bench.reader(), try bench.reader(), try bench.reader())
        for reader in [slow, slower, quick] { _ = reader.take() }
        var number = 0
        while slower.feed.end == nil, number < 10_000 {
            number += 1
            bench.publish(Self.log(number))
            _ = quick.take()
            // One of them takes something from time to time.
            if number % 2 == 0 { _ = slow.feed.take(upTo: 1) }
            let held = [slow, slower, quick].reduce(0) { $0 + $1.feed.heldBytes }
            #expect(held <= 64 << 10)
        }
        #expect(slower.feed.end?.reason == "too_slow")
        #expect(slow.feed.end == nil && quick.feed.end == nil)
    }

    // MARK: Waking and ending

    @Test func aReaderIsWokenOnceUntilItHasTakenEverything() throws {
        let bench = JournalBench()
        let wakes = Mutex(0)
        let feed = try bench.journal.feed(to: .all, from: nil, for: .admin) { wakes.withLock { $0 += 1 } }
        bench.publish(Self.log(1))
        while !feed.take(upTo: 1).isEmpty {}
        #expect(wakes.withLock { $0 } == 0)
        bench.publish(Self.log(2), Self.log(3))
        bench.publish(Self.log(4))
        #expect(feed.take(upTo: 1).count == 1)
        bench.publish(Self.log(5))
        #expect(wakes.withLock { $0 } == 1)
        while !feed.take(upTo: 1).isEmpty {}
        bench.publish(Self.log(6))
        #expect(wakes.withLock { $0 } == 2)
    }

    @Test func whenTheGatewayStopsReadersGetWhatWaits() throws {
        let bench = JournalBench()
        let reader = try bench.reader()
        _ = reader.take()
        bench.publish(Self.log(1))
        bench.journal.stop()
        #expect(reader.feed.end == nil)
        #expect(reader.take() == ["sender.throttled 1"])
        #expect(reader.feed.end == FeedEnd(reason: "stopping", position: Self.position(1)))
        #expect(throws: OperationProblem.self) { try bench.reader() }
        #expect(!bench.events.hasSubscribers)
    }
}
