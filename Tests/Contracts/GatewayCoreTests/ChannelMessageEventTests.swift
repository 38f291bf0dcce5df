import CastWire
import GatewayCore
import GatewayTesting
import Testing

private let quiz: Namespace = "urn:x-cast:com.example.quiz"

/// Which messages of apps are told as `channel.message`.
@Suite struct ChannelMessageEventTests {
    /// The events that one message of a sender gives rise to when a handler gives this verdict.
    private static func events(
        _ verdict: @escaping @Sendable () -> Verdict, in namespace: Namespace = quiz
    ) async throws -> [GatewayEvent] {
        let bus = EventBus()
        let subscription = bus.subscribe()
        let handler = FunctionHandler("handler", [Claim(.exact(namespace))]) { _, _ in verdict() }
        let bench = try RouterBench([handler], events: bus)
        bench.route("{}", in: namespace, to: "app-1")
        bus.publish(.custom(name: "end", data: .null))
        var events: [GatewayEvent] = []
        for await event in subscription.events {
            if case .custom = event { break }
            events.append(event)
        }
        return events
    }

    private static let told = GatewayEvent.channelMessage(
        device: "test", message: .test("{}", in: quiz, to: "app-1"), direction: .toReceiver, via: .local)

    @Test func aMessageThatGoesOnIsTold() async throws {
        let events = try await Self.events { .forward }
        #expect(events == [Self.told])
    }

    @Test func aMessageThatAHandlerAnswersIsTold() async throws {
        let echoed = try await Self.events { Verdict(.reply(.text("{}"))) }
        #expect(echoed == [Self.told], "the message, and not the gateway's own answer")
        let kept = try await Self.events { .handled }
        #expect(kept == [Self.told])
        let repeated = try await Self.events { .handled(.broadcast(payload: .text("{}"))) }
        #expect(repeated == [Self.told])
    }

    @Test func aMessageThatIsRefusedOrDroppedIsNot() async throws {
        let refused = try await Self.events { .reject("NO", "not now") }
        #expect(refused == [])
        let dropped = try await Self.events { .drop("not now") }
        #expect(dropped == [])
    }

    @Test func aMessageOfThePlatformIsNot() async throws {
        let events = try await Self.events({ Verdict(.reply(.text("{}"))) }, in: .media)
        #expect(events == [])
    }
}
