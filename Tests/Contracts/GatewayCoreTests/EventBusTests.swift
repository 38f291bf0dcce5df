import GatewayCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventBusTests {
    private static func event(_ number: Int) -> GatewayEvent {
        .deviceOnline(target: "\(number)")
    }

    @Test func aSlowSubscriberLosesItsOldestEventsCounted() async {
        let bus = EventBus()
        let subscription = bus.subscribe(limit: 3)
        let quick = bus.subscribe()
        for number in 0..<8 { bus.publish(Self.event(number)) }
        #expect(subscription.droppedCount == 5)
        #expect(quick.droppedCount == 0)
        var received: [GatewayEvent] = []
        for await event in subscription.events {
            received.append(event)
            if received.count == 3 { break }
        }
        #expect(received == (5..<8).map(Self.event))
    }

    @Test func onlyWantedEventsAreDelivered() async {
        let bus = EventBus()
        let subscription = bus.subscribe { $0 == Self.event(2) }
        for number in 0..<4 { bus.publish(Self.event(number)) }
        for await event in subscription.events {
            #expect(event == Self.event(2))
            break
        }
        #expect(subscription.droppedCount == 0)
    }

    @Test func aSubscriptionEndsWithItsSequence() {
        let bus = EventBus()
        #expect(!bus.hasSubscribers)
        do {
            let subscription = bus.subscribe()
            #expect(bus.hasSubscribers)
            withExtendedLifetime(subscription) {}
        }
        #expect(!bus.hasSubscribers)
        bus.publish(Self.event(1))
    }

    @Test func aSubscriptionEndsWithItsTask() async {
        let bus = EventBus()
        let subscription = bus.subscribe()
        let task = Task {
            for await _ in subscription.events {}
        }
        task.cancel()
        await task.value
        #expect(!bus.hasSubscribers)
    }
}
