import CastWire
import GatewayCore
import GatewayOperations
import NIOCore
import Testing

@testable import GatewayJournal

/// Messages of apps are journalled where a reader names their namespace, and nowhere else.
@Suite(.timeLimit(.minutes(1))) struct MessageInterestTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"
    private let bench = JournalBench()

    private static func message(_ namespace: Namespace = Self.quiz) -> CastMessage {
        CastMessage(source: "a", destination: "b", namespace: namespace, payload: .text("{}"))
    }

    private func publish(_ namespace: Namespace = Self.quiz) {
        let message = Self.message(namespace)
        guard self.bench.events.wantsMessage(message.names) else { return }
        self.bench.publish(.channelMessage(device: "hall", message: message, direction: .toSender))
    }

    private func topics(_ namespace: Namespace = Self.quiz) -> EventTopics {
        EventTopics([.init(type: DevicePattern("channel.message"), namespace: namespace.rawValue)])
    }

    @Test func noMessageIsMadeForAReaderOfEverything() throws {
        _ = try self.bench.reader()
        #expect(self.bench.events.hasSubscribers)
        #expect(!self.bench.events.hasMessageSubscribers)
        #expect(!self.bench.events.wantsMessage(Self.message().names))
    }

    @Test func messagesComeFromNamespacesThatAreNamed() throws {
        let reader = try self.bench.reader(self.topics())
        let other = try self.bench.reader()
        _ = (reader.take(), other.take())
        self.publish()
        self.publish("urn:x-cast:com.example.other")
        #expect(!self.bench.events.wantsMessage(Self.message("urn:x-cast:com.google.cast.media").names))
        #expect(reader.take() == ["channel.message 1"])
        // Those who did not ask do not get it.
        #expect(other.take().isEmpty)
    }

    @Test func aCallerWithoutTheScopeCausesNone() throws {
        _ = try self.bench.reader(self.topics(), for: Caller(name: "reader", scopes: [.read]))
        #expect(!self.bench.events.wantsMessage(Self.message().names))
    }

    @Test func theInterestOfALostReaderIsKeptForAWhile() throws {
        let reader = try self.bench.reader(self.topics())
        _ = reader.take()
        reader.feed.cancel()
        self.bench.pass(.minutes(9))
        self.publish()
        let position = JournalPosition(boot: "b1", seq: 0)
        let next = try self.bench.reader(self.topics(), from: position)
        #expect(next.take() == ["hello 1 1", "channel.message 1", "synced 1"])
        self.bench.pass(.minutes(2))
        #expect(self.bench.events.wantsMessage(Self.message().names))
        next.feed.cancel()
        self.bench.pass(.minutes(11))
        #expect(!self.bench.events.wantsMessage(Self.message().names))
    }

    /// One busy namespace leaves readers of everything else their history; those who read messages are told what they missed.
    @Test func messagesHaveAShareOfTheHistory() throws {
        let bench = JournalBench { $0.history = 64 << 10 }
        let reader = try bench.reader(self.topics())
        _ = reader.take()
        bench.publish(.virtualDeviceAdded(device: "hall"))
        for _ in 1...1000 {
            bench.publish(.channelMessage(device: "hall", message: Self.message(), direction: .toSender))
        }
        bench.publish(.virtualDeviceAdded(device: "office"))
        #expect(reader.take().suffix(1) == ["channel.message 1001"])
        let start = JournalPosition(boot: "b1", seq: 0)
        #expect(
            try bench.reader(from: start).take() == [
                "hello 1002 1", "virtual_device.added 1", "virtual_device.added 1002", "synced 1002",
            ])
        let missed = try bench.reader(self.topics(), from: start).take()
        #expect(missed == ["hello 1002 969", "resync too_old", "synced 1002"])
        // What is left of the messages can be had again.
        let late = try bench.reader(self.topics(), from: JournalPosition(boot: "b1", seq: 990)).take()
        #expect(late == ["hello 1002 969"] + (991...1001).map { "channel.message \($0)" } + ["synced 1002"])
        #expect(bench.journal.withStore { $0.bytes } <= 64 << 10)
    }

    @Test func otherSubscribersSeeMessagesThatAreNotJournalled() async throws {
        let subscription = self.bench.events.subscribe()
        let reader = try self.bench.reader()
        self.publish()
        var events = subscription.events.makeAsyncIterator()
        #expect(await events.next()?.name == "channel.message")
        #expect(reader.take() == ["hello 0 1", "synced 0"])
    }
}

/// Lines of the log come to readers that name them, as they happen.
@Suite(.timeLimit(.minutes(1))) struct LogInterestTests {
    private let bench = JournalBench()

    private func log(_ message: String = "Up") {
        self.bench.events.recordLog(.logRecord(["level": "info", "component": "Gateway", "message": .string(message)]))
        self.bench.journal.drain()
    }

    private func topics(_ type: String = "log.record", device: String? = nil) -> EventTopics {
        EventTopics([.init(type: DevicePattern(type), device: device.map { DevicePattern($0) })])
    }

    @Test(arguments: ["log.record", "log.*"])
    func linesComeWhereTheyAreNamed(type: String) throws {
        let other = try self.bench.reader()
        #expect(!self.bench.events.wantsLog)
        self.log()
        let reader = try self.bench.reader(self.topics(type))
        _ = (reader.take(), other.take())
        #expect(self.bench.events.wantsLog)
        self.log()
        #expect(reader.take() == ["log.record 1"])
        #expect(other.take().isEmpty)
        reader.feed.cancel()
        #expect(!self.bench.events.wantsLog)
    }

    @Test func linesAreNotKept() throws {
        let reader = try self.bench.reader(self.topics())
        _ = reader.take()
        for _ in 0..<3 { self.log() }
        #expect(reader.take().count == 3)
        let next = try self.bench.reader(self.topics(), from: JournalPosition(boot: "b1", seq: 0))
        #expect(next.take() == ["hello 3 1", "synced 3"])
        self.log()
        #expect(next.take() == ["log.record 4"])
    }

    @Test func aCallerWithoutTheScopeOrLimitedToDevicesGetsNone() throws {
        _ = try self.bench.reader(self.topics(), for: Caller(name: "reader", scopes: [.read]))
        _ = try self.bench.reader(self.topics("*"))
        _ = try self.bench.reader(self.topics("log.*", device: "hall"))
        #expect(!self.bench.events.wantsLog)
    }
}
