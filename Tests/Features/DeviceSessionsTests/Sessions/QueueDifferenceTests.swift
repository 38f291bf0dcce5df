import CastWire
import GatewayCore
import Testing

@testable import CastClient
@testable import DeviceSessions

/// What is told of a queue that is followed.
@Suite struct QueueDifferenceTests {
    private static func queue(_ ids: [Int]?, items: [Int: String] = [:]) -> MediaQueue {
        var queue = MediaQueue()
        if let ids { _ = queue.received(ids: ids, sequenceNumber: nil) }
        _ = queue.received(
            items: items.map { QueueItem(json: ["itemId": .number($0.key), "customData": .string($0.value)]) })
        return queue
    }

    private static func changes(
        from old: [Int]?, to new: [Int]?, _ told: [MediaQueueChange] = [.reloaded]
    ) -> [CastQueueChange] {
        QueueDifference.changes(told, from: Self.queue(old), to: Self.queue(new))
    }

    @Test(
        arguments: [
            ([1, 2], [1, 7, 8, 2], [CastQueueChange(.inserted, items: [7, 8], indexes: [1, 2], before: 2)]),
            ([1, 2], [1, 2, 7], [CastQueueChange(.inserted, items: [7], indexes: [2])]),
            ([1, 2, 3], [2], [CastQueueChange(.removed, items: [1, 3], indexes: [0, 2])]),
            ([1, 2, 3, 4], [4, 1, 2, 3], [CastQueueChange(.moved, items: [4], indexes: [0], before: 1)]),
            ([1, 2, 3, 4], [2, 3, 4, 1], [CastQueueChange(.moved, items: [1], indexes: [3])]),
            (
                [1, 2, 3, 4], [4, 9, 2, 3],
                [
                    CastQueueChange(.removed, items: [1], indexes: [0]),
                    CastQueueChange(.moved, items: [4], indexes: [0], before: 9),
                    CastQueueChange(.inserted, items: [9], indexes: [1], before: 2),
                ]
            ),
            ([1, 2], [3, 4], [CastQueueChange(.reloaded)]),
            ([1, 2], [], [CastQueueChange(.reloaded)]),
            ([], [1], [CastQueueChange(.reloaded)]),
        ] as [([Int], [Int], [CastQueueChange])])
    func changesHaveIDsAndPlaces(old: [Int], new: [Int], told: [CastQueueChange]) {
        #expect(Self.changes(from: old, to: new) == told)
    }

    @Test func whatIsNotKnownIsReloaded() {
        #expect(Self.changes(from: nil, to: [1]) == [CastQueueChange(.reloaded)])
        #expect(Self.changes(from: [1], to: nil) == [CastQueueChange(.reloaded)])
        #expect(Self.changes(from: [1], to: [1], [.outdated]) == [CastQueueChange(.reloaded)])
    }

    @Test func manyChangesAreToldAsOne() {
        let many = Array(0..<2000)
        #expect(Self.changes(from: [5000], to: many + [5000]) == [CastQueueChange(.reloaded)])
        let mixed = many.flatMap { [$0, $0 + 10_000] }
        #expect(Self.changes(from: many, to: mixed) == [CastQueueChange(.reloaded)])
    }

    @Test func itemsThatComeToBeKnownAreNoNews() {
        let known = Self.queue([1, 2, 3], items: [1: "a", 2: "b"])
        let more = Self.queue([1, 2, 3], items: [1: "a", 2: "b", 3: "c"])
        #expect(QueueDifference.changes([.updated([2])], from: known, to: more) == [])
        let other = Self.queue([1, 2, 3], items: [1: "a", 2: "x"])
        #expect(
            QueueDifference.changes([.updated([1])], from: known, to: other)
                == [CastQueueChange(.updated, items: [2], indexes: [1])])
        // The app says that an item changed, and what it is now is not known yet.
        let gone = Self.queue([1, 2, 3], items: [1: "a"])
        #expect(
            QueueDifference.changes([.updated([1, 2])], from: known, to: gone)
                == [CastQueueChange(.updated, items: [2, 3], indexes: [1, 2])])
    }
}
