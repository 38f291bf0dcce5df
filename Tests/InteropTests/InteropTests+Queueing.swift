import Testing

extension InteropTests {
    private struct Queue: Decodable {
        let queues: [String: [Int]]
        let changes: [String: [String]]

        /// The queue that both senders see; nil when they differ.
        var items: [Int]? {
            Set(self.queues.values).count == 1 ? self.queues["first"] : nil
        }

        /// The change that both senders were told of; nil when they differ.
        var change: [String]? {
            Set(self.changes.values).count == 1 ? self.changes["first"] : nil
        }
    }

    @Test("A queue grows, is walked, reordered, shortened and repeated", arguments: Arrangement.allCases)
    func queueing(_ arrangement: Arrangement) async throws {
        try await arrangement.drive("queueing.py") { driver in
            _ = try await driver.succeed("loaded")
            let second = try await driver.succeed("secondAdded").details(Queue.self)
            #expect(second.items?.count == 2)
            #expect(second.change == ["INSERT"])
            let third = try await driver.succeed("thirdAdded").details(Queue.self)
            let items = try #require(third.items)
            try #require(items.count == 3)
            #expect(Array(items.prefix(2)) == second.items)

            let next = try await driver.succeed("next")
            next.expect(\.title, "Two")
            next.expect(\.itemID, items[1])
            next.expect(\.playerState, "PLAYING")
            next.expect("can go both ways") { $0.supports(.queueNext, .queuePrevious) }
            let previous = try await driver.succeed("previous")
            previous.expect(\.title, "One")
            previous.expect(\.itemID, items[0])
            previous.expect("can only go on") { $0.supports(.queueNext) && !$0.supports(.queuePrevious) }

            let reordered = try await driver.succeed("reordered")
            let order = try reordered.details(Queue.self)
            #expect(order.items == [items[0], items[2], items[1]])
            #expect(order.change == ["UPDATE"])
            reordered.expect(\.title, "One")
            try await driver.succeed("nextAfterReorder").expect(\.title, "Three")

            let removed = try await driver.succeed("removed")
            let rest = try removed.details(Queue.self)
            #expect(rest.items == [items[0], items[2]])
            #expect(rest.change == ["REMOVE"])
            removed.expect(\.title, "Three")

            try await driver.succeed("repeating").expect(\.repeatMode, "REPEAT_ALL")
            let wrapped = try await driver.succeed("wrapped")
            wrapped.expect(\.title, "One")
            wrapped.expect(\.itemID, items[0])
            try await driver.succeed("jumped").expect(\.itemID, items[2])
        }
    }
}
