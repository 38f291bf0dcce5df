import CastWire
import NIOCore
import Testing

@testable import MessageBridges

@Suite struct MQTTCommandQueueTests {
    @Test func aLaneKeepsItsOrderAndOthersPass() {
        var queue = MQTTCommandQueue<Int>()
        for (command, lane) in [(1, "a"), (2, "a"), (3, "b"), (4, nil)] as [(Int, String?)] {
            #expect(queue.append(command, lane: lane) == true)
        }
        var begun: [Int] = []
        while let next = queue.next() { begun.append(next.command) }
        #expect(begun == [1, 3, 4])
        queue.finish(lane: "b")
        #expect(queue.next() == nil)
        queue.finish(lane: "a")
        #expect(queue.next()?.command == 2)
    }

    @Test func roomIsBounded() {
        var queue = MQTTCommandQueue<Int>(limits: .init(concurrency: 2, total: 4, lane: 2))
        let taken = [("a", 1), ("a", 2), ("a", 3), (nil, 4), (nil, 5), (nil, 6)].map { queue.append($1, lane: $0) }
        #expect(taken == [true, true, false, true, true, false])
        #expect(queue.next() != nil)
        #expect(queue.next() != nil)
        #expect(queue.next() == nil)
        queue.finish(lane: nil)
        #expect(queue.append(7, lane: nil) == true)
        #expect(queue.next() != nil)
    }

    @Test func duplicatesAreForgottenAfterAMinute() {
        var duplicates = MQTTDuplicates(limit: 3)
        let start = NIODeadline.uptimeNanoseconds(1)
        #expect(duplicates.find("a", at: start) == .new)
        #expect(duplicates.find("a", at: start + .seconds(59)) == .underWay)
        #expect(duplicates.find("a", at: start + .seconds(60)) == .new)
        for name in ["b", "c", "d"] { #expect(duplicates.find(name, at: start + .seconds(60)) == .new) }
        #expect(duplicates.find("a", at: start + .seconds(61)) == .new, "the oldest made room")
    }

    @Test func answersAreRememberedWithinBounds() {
        var duplicates = MQTTDuplicates(maximumBytes: 10)
        let start = NIODeadline.uptimeNanoseconds(1)
        for name in ["a", "b", "c"] { #expect(duplicates.find(name, at: start) == .new) }
        duplicates.remember(["ok": true], of: 6, for: "b")
        duplicates.remember(["ok": false], of: 4, for: "a")
        #expect(duplicates.find("b", at: start) == .answered(["ok": true]))
        #expect(duplicates.find("a", at: start) == .answered(["ok": false]))
        duplicates.remember(["ok": true], of: 11, for: "c")
        #expect(duplicates.find("c", at: start) == .underWay, "more than there is room for")
        duplicates.remember(["ok": true], of: 1, for: "c")
        #expect(duplicates.find("b", at: start) == .underWay, "the oldest answer made room")
        #expect(duplicates.find("c", at: start) == .answered(["ok": true]))
        #expect(duplicates.find("a", at: start + .seconds(60)) == .new)
        duplicates.remember(["ok": true], of: 10, for: "a")
        #expect(duplicates.find("a", at: start + .seconds(61)) == .answered(["ok": true]))
        duplicates.forget("a")
        #expect(duplicates.find("a", at: start + .seconds(61)) == .new)
    }
}
