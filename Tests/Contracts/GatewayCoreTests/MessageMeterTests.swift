import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayMetrics
import GatewayTesting
import NIOCore
import NIOEmbedded
import Testing

/// What a router counts of its messages: each one once, under what became of it.
@Suite struct MessageMeterTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"

    /// Decides as the payload says.
    private struct Oracle: MessageHandler {
        let name = "oracle"
        let claims = [Claim(.exact(MessageMeterTests.quiz), phase: .handle)]

        func handle(_ message: RoutedMessage, in context: HandlerContext) throws -> Verdict {
            switch message.message.payload.jsonObject?.string("type") {
            case "REPLY": .reply(["type": "ANSWER"])
            case "HANDLED": .handled
            case "REJECT": .reject(Rejection(reason: "NO"))
            case "DROP": .drop("unwanted")
            case "THROW": throw GatewayError(.handlerFailed, "on purpose")
            case "DEFER":
                {
                    _ = context.deferral()
                    return .deferred(within: .seconds(1))
                }()
            default: .pass
            }
        }
    }

    private static func bench(_ metering: MessageMetering?) throws -> RouterBench {
        try RouterBench([Oracle()], settings: RouterSettings(metering: metering))
    }

    private func counts(_ bench: RouterBench) throws -> MessageCounts {
        try #require(bench.router.messageCounts)
    }

    private func count(
        _ counts: MessageCounts, _ disposition: MessageCounts.Disposition, _ namespace: String = quiz.rawValue,
        _ leg: MessageCounts.Leg = .north, _ direction: MessageDirection = .toReceiver
    ) -> Int {
        counts.messages.first {
            $0.key.disposition == disposition && $0.key.namespace == namespace && $0.key.way.leg == leg
                && $0.key.way.direction == direction
        }?.value ?? 0
    }

    @Test func eachMessageIsCountedOnce() throws {
        let bench = try Self.bench(MessageMetering())
        for (number, type) in ["PASS", "PASS", "REPLY", "HANDLED", "REJECT", "REJECT", "REJECT", "DROP", "THROW"]
            .enumerated()
        {
            bench.route(#"{"type":"\#(type)","requestId":\#(number)}"#, in: Self.quiz)
        }
        bench.route("{}", in: "urn:x-cast:com.example.other")
        bench.route("{}", in: Self.quiz, direction: .toSender)
        let counts = try self.counts(bench)
        // What throws is forwarded: its claim fails open.
        #expect(self.count(counts, .forwarded) == 3)
        #expect(self.count(counts, .replied) == 1)
        #expect(self.count(counts, .handled) == 1)
        #expect(self.count(counts, .rejected) == 3)
        #expect(self.count(counts, .dropped) == 1)
        #expect(self.count(counts, .forwarded, "other") == 1)
        #expect(self.count(counts, .forwarded, Self.quiz.rawValue, .south, .toSender) == 1)
        #expect(counts.messages.values.reduce(0, +) == 11)
        #expect(counts.failures == 1)
        #expect(counts.durations[.handle]?.count == 9)
    }

    @Test func deferredMessagesAreMeasuredAndThoseGivenUpAreCounted() throws {
        let bench = try Self.bench(MessageMetering())
        bench.route(#"{"type":"DEFER"}"#, in: Self.quiz)
        bench.route("{}", in: Self.quiz)
        #expect(try self.counts(bench).messages.isEmpty)
        bench.loop.advanceTime(by: .milliseconds(1010))
        var counts = try self.counts(bench)
        // Late, and so forwarded like the one behind it.
        #expect(self.count(counts, .forwarded) == 2)
        #expect(counts.durations[.handle]?.count == 2)
        #expect(counts.durations[.handle]?.nanoseconds ?? 0 >= 1_000_000_000)
        bench.route(#"{"type":"DEFER"}"#, in: Self.quiz)
        for _ in 0..<4 { bench.route("{}", in: Self.quiz) }
        bench.router.connectionClosed(ConnectionID(rawValue: 1))
        counts = try self.counts(bench)
        #expect(self.count(counts, .abandoned) == 5)
        #expect(counts.flowsClosed == 4)
    }

    /// A peer that invents namespaces, some of them odd, adds to one number.
    @Test func inventedNamespacesAreOther() throws {
        let bench = try Self.bench(MessageMetering())
        let odd = ["\"", "\n", "\\", "é", String(repeating: "x", count: 4000)]
        for number in 0..<100_000 {
            bench.route("{}", in: Namespace(rawValue: "urn:x-cast:com.hostile.\(number)\(odd[number % odd.count])"))
        }
        let counts = try self.counts(bench)
        #expect(counts.messages.count == 1)
        #expect(self.count(counts, .forwarded, "other") == 100_000)
        #expect(counts.bytes.values.reduce(0, +) == 200_000)
    }

    @Test func nothingIsCountedUnlessAskedFor() throws {
        let bench = try Self.bench(nil)
        bench.route("{}", in: Self.quiz)
        #expect(bench.router.messageCounts == nil)
    }

    /// A configuration may switch counting off and on; what was counted stays, also when the device goes.
    @Test func countsOutliveTheRouter() async throws {
        let metering = MessageMetering()
        let bench = try Self.bench(metering)
        bench.route("{}", in: Self.quiz)
        bench.router.follow(RouterSettings(), payloadText: nil)
        bench.route("{}", in: Self.quiz)
        bench.router.follow(RouterSettings(metering: metering), payloadText: nil)
        bench.route("{}", in: Self.quiz)
        bench.router.shutdown()
        let (devices, silent) = await metering.counts(within: .seconds(10))
        #expect(silent == 0)
        #expect(devices.values.reduce(0) { $0 + $1.messages.values.reduce(0, +) } == 2)
    }
}
