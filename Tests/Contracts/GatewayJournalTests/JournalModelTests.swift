import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayOperations
import NIOCore
import Testing

@testable import GatewayJournal

/// Many events and readers of every temper, against a naive list of what happened: each reader gets every log event once or is
/// told that it was lost, ends with the latest value of everything, and costs no more than its budget.
@Suite(.timeLimit(.minutes(5))) struct JournalModelTests {
    private enum Temper: CaseIterable {
        /// Takes everything at once.
        case fast
        /// Takes a little now and then.
        case slow
        /// Takes nothing for a long while, and then everything.
        case stuck
        /// Is cut off with a part taken, and comes back some time later.
        case cut
    }

    private final class Reader {
        let temper: Temper
        var model: ReaderModel
        var feed: JournalFeed?
        var position: JournalPosition?
        var ends = 0

        init(_ temper: Temper, devices: Set<Int>?, readsMessages: Bool = false) {
            self.temper = temper
            self.model = ReaderModel(devices: devices, readsMessages: readsMessages)
        }

        var topics: EventTopics {
            guard self.model.readsMessages else { return .all }
            return EventTopics([.init(type: DevicePattern("*"), namespace: JournalModelTests.namespace.rawValue)])
        }

        var caller: Caller {
            Caller(
                name: "reader", scopes: [.read, .messages],
                devices: self.model.devices.map { $0.map { DevicePattern("room-\($0)") } })
        }
    }

    private static let rooms = 12
    private static let namespace: Namespace = "urn:x-cast:com.example.quiz"
    private static let budget = 24 << 10
    private static let history = 384 << 10

    private let bench = JournalBench {
        $0.clientBudget = Self.budget
        $0.history = Self.history
    }

    @Test(arguments: [1, 20_261_122] as [UInt64]) func everyReaderGetsWhatItIsOwed(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var written = WrittenEvents()
        let readers = Temper.allCases.flatMap { temper in
            [
                Reader(temper, devices: nil), Reader(temper, devices: [1, 2, 7]),
                Reader(temper, devices: nil, readsMessages: true),
            ]
        }
        while written.all.count < 100_000 {
            for _ in 0..<(random.once(in: 40) ? 30 : 1) {
                for _ in 0..<random.int(1...20) { self.happen(&written, &random) }
                self.bench.journal.drain()
                for reader in readers where reader.temper == .fast { try self.act(reader, written, &random) }
            }
            if random.once(in: 8) { self.bench.pass(.milliseconds(Int64(random.int(1...2000)))) }
            for reader in readers where reader.temper != .fast { try self.act(reader, written, &random) }
        }
        for reader in readers {
            try self.finish(reader, written)
            reader.model.expectEverything(written)
        }
        self.expectVariety(of: readers)
    }

    private func happen(_ written: inout WrittenEvents, _ random: inout SeededGenerator) {
        let device = random.int(1...Self.rooms)
        let number = written.all.count + 1
        let name = "room-\(device)"
        switch random.int(1...14) {
        case 11: self.message(&written, device, number)
        case 12: self.channel(&written, device, number, &random)
        case 13...14: self.session(&written, device, number, &random)
        case 1...5:
            written.append(.init(resource: nil, device: device, isLast: false, number: number))
            self.bench.events.publish(.senderThrottled(device: name, address: "192.0.2.1", count: number))
        case 6...8:
            written.append(.init(resource: "receiver \(device)", device: device, isLast: false, number: number))
            self.bench.events.publish(.receiverStatus(device: name, status: ["number": .number(number)]))
        case 9:
            written.append(.init(resource: "media \(device)", device: device, isLast: false, number: number))
            self.bench.events.publish(
                .mediaStatus(device: name, transportID: "t", status: ["number": .number(number)]))
        default:
            let isGone = random.once(in: 2)
            let media = "media \(device)"
            if isGone, written.latest[media] != nil {
                // What plays ends by an event of its own.
                written.append(.init(resource: media, device: device, isLast: true, number: number))
            }
            written.append(.init(resource: "receiver \(device)", device: device, isLast: isGone, number: number))
            self.bench.events.publish(
                isGone ? .virtualDeviceRemoved(device: name) : .virtualDeviceAdded(device: name))
        }
    }

    /// A message is an event while a reader has named its namespace.
    private func message(_ written: inout WrittenEvents, _ device: Int, _ number: Int) {
        let message = CastMessage(
            source: "a", destination: "b", namespace: Self.namespace,
            payload: .text("{\"text\":\"\(String(repeating: "x", count: 1000))\"}"))
        guard self.bench.events.wantsMessage(message.names) else { return }
        written.append(.init(resource: nil, device: device, isLast: false, number: number, isMessage: true))
        self.bench.events.publish(
            .channelMessage(device: "room-\(device)", message: message, direction: .toSender))
    }

    private func channel(
        _ written: inout WrittenEvents, _ device: Int, _ number: Int, _ random: inout SeededGenerator
    ) {
        let (name, authentication) = ("room-\(device)", "authentication \(device)")
        switch random.int(1...3) {
        case 1:
            written.append(.init(resource: authentication, device: device, isLast: false, number: number))
            self.bench.events.publish(.deviceVerified(target: name, commonName: "x", isAudioOnly: false))
        case 2:
            written.append(.init(resource: "channel \(device)", device: device, isLast: false, number: number))
            self.bench.events.publish(.deviceOnline(target: name))
        default:
            written.append(
                .init(
                    resource: "channel \(device)", device: device, isLast: true, number: number,
                    ends: [authentication]))
            self.bench.events.publish(.deviceReleased(target: name))
        }
    }

    /// A room has one session after the other; what belongs to a session ends before it, each by an event.
    private func session(
        _ written: inout WrittenEvents, _ device: Int, _ number: Int, _ random: inout SeededGenerator
    ) {
        let session = written.sessions[device, default: 0]
        let facts = CastSessionFacts(
            number: session * Self.rooms + device, device: "room-\(device)", appID: "CC1AD845", state: .connected)
        func tell(_ resource: String, isLast: Bool = false) {
            written.append(
                .init(resource: "\(resource) \(device) \(session)", device: device, isLast: isLast, number: number))
        }
        switch random.int(1...5) {
        case 1...2:
            tell("session media")
            self.bench.events.publish(.castMedia(facts, .status(["number": .number(number)])))
        case 3:
            tell("session volume")
            self.bench.events.publish(.castSession(facts, .volume(level: 1, muted: nil)))
        case 4:
            tell("session")
            self.bench.events.publish(.castSession(facts, .deviceStatus("x")))
        default:
            for resource in ["session media", "session volume"]
            where written.latest["\(resource) \(device) \(session)"] != nil {
                tell(resource, isLast: true)
            }
            tell("session", isLast: true)
            written.sessions[device] = session + 1
            self.bench.events.publish(.castSession(facts, .didEnd(nil)))
        }
    }

    private func act(_ reader: Reader, _ written: WrittenEvents, _ random: inout SeededGenerator) throws {
        guard let feed = reader.feed else {
            if reader.temper != .cut || random.once(in: 20) { try self.connect(reader) }
            return
        }
        #expect(feed.heldBytes <= Self.budget)
        #expect(self.bench.journal.withStore { $0.bytes } <= Self.history)
        switch reader.temper {
        case .fast: while try self.take(reader, feed, .max, written) {}
        case .slow: if random.once(in: 3) { _ = try self.take(reader, feed, random.int(1...3000), written) }
        case .stuck: if random.once(in: 150) { while try self.take(reader, feed, 4096, written) {} }
        case .cut:
            _ = try self.take(reader, feed, random.int(1...20_000), written)
            if random.once(in: 30) {
                feed.cancel()
                reader.feed = nil
            }
        }
        if let end = feed.end {
            #expect(end.reason == "too_slow")
            #expect(end.position.seq == reader.position?.seq ?? 0)
            reader.ends += 1
            reader.feed = nil
        }
    }

    private func connect(_ reader: Reader) throws {
        reader.model.connect(asNew: reader.position == nil)
        reader.feed = try self.bench.journal.feed(to: reader.topics, from: reader.position, for: reader.caller) {}
    }

    private func take(
        _ reader: Reader, _ feed: JournalFeed, _ bytes: Int, _ written: WrittenEvents
    ) throws -> Bool {
        let frames = feed.take(upTo: bytes)
        for frame in frames {
            try reader.model.take(frame, written)
            if let position = frame.position { reader.position = position }
        }
        return !frames.isEmpty
    }

    private func finish(_ reader: Reader, _ written: WrittenEvents) throws {
        if reader.feed == nil || reader.feed?.end != nil { try self.connect(reader) }
        guard let feed = reader.feed else { return }
        while try self.take(reader, feed, .max, written) {}
    }

    /// A run in which the readers did not fare differently would show nothing.
    private func expectVariety(of readers: [Reader]) {
        func total(_ temper: Temper, _ count: (Reader) -> Int) -> Int {
            readers.filter { $0.temper == temper }.reduce(0) { $0 + count($1) }
        }
        #expect(total(.fast) { $0.model.lost + $0.model.resyncs + $0.ends } == 0)
        #expect(total(.slow) { $0.model.coalesced } > 0)
        #expect(total(.slow) { $0.model.lost } > 0)
        #expect(total(.stuck) { $0.ends } > 0)
        #expect(total(.stuck) { $0.model.resyncs } > 0)
        #expect(total(.cut) { $0.model.received } > 0)
        for reader in readers {
            print(
                reader.temper, "received", reader.model.received, "lost", reader.model.lost, "coalesced",
                reader.model.coalesced, "resyncs", reader.model.resyncs, "ends", reader.ends)
        }
    }
}
