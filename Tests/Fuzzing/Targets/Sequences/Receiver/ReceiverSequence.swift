import CastWire
import GatewayCore
import GatewayTesting
import NIOCore
import NIOEmbedded

@testable import BuiltInReceiver
@testable import VirtualDevices

/// What several senders do to one receiver, step by step, and what has to hold all the while.
struct ReceiverSequence {
    /// One sender, with what it has said and heard.
    private struct Sender {
        let channel: SenderChannel
        var ledger: ConversationLedger
        /// The receiver's ends that the channel was connected to when it was last looked at.
        var sources: Set<EndpointID> = []
    }

    private static let maximumSteps = 200
    private static let maximumSenders = 12
    /// All that was asked is answered within this: the longest launch, load, failure and deadline.
    private static let patience = 8

    private let stage: ReceiverStage
    private var senders: [Sender] = []
    private var grammar = SequenceGrammar()
    private var input: InputReader

    init(_ input: [UInt8], _ sabotage: Sabotage? = nil) throws {
        self.stage = try ReceiverStage(sabotage)
        self.input = InputReader(input)
    }

    /// Plays the whole sequence.
    mutating func run() throws {
        for _ in 0..<2 { try self.addSender() }
        var steps = 0
        while !self.input.isEmpty, steps < Self.maximumSteps {
            try self.step()
            try self.check()
            steps += 1
        }
        try self.settle()
        try self.leave()
    }

    // MARK: Steps

    private mutating func addSender() throws {
        let channel = try SenderChannel(to: self.stage.device, on: self.stage.loop, number: self.senders.count)
        self.senders.append(Sender(channel: channel, ledger: ConversationLedger(channel: channel.connection.id)))
        // What nearly every sender says first.
        self.grammar.transport = nil
        try self.say([self.grammar.connect], self.senders.count - 1)
    }

    private mutating func step() throws {
        self.grammar.transport = self.stage.application?.facts.transportID
        let number = self.input.number(below: self.senders.count)
        switch self.input.number(below: 32) {
        case 0...3: try self.say([self.grammar.connection(&self.input)], number)
        case 4...15: try self.say([self.grammar.request(&self.input)], number)
        case 16, 17: try self.cast(number)
        case 18: try self.say([self.grammar.request(&self.input)], number, pieces: 1 + self.input.number(below: 64))
        case 19: try self.say([self.grammar.heartbeat(&self.input)], number)
        case 20: try self.say([self.grammar.authentication(&self.input)], number)
        case 21: try self.say([self.grammar.raw(&self.input)], number)
        case 22, 23: try self.sayAtOnce(number)
        case 24...27: try self.wait(self.input.one(of: [1, 100, 300, 1_000, 3_000, 9_000, 30_000]))
        case 28: try self.completeDeferral()
        case 29:
            self.senders[number].channel.toggleReading()
            try self.listen()
        case 30:
            if self.senders.count < Self.maximumSenders, self.input.once(in: 2) {
                try self.addSender()
            } else {
                self.senders[number].channel.hangUp()
                try self.listen()
            }
        default:
            // Behind bytes that are no frame a channel may end, or wait for the rest of one.
            let bytes = self.input.bytes(self.input.number(below: 32))
            try self.senders[number].channel.send(ByteBuffer(bytes: bytes))
            self.senders[number].ledger.forgive()
            if !bytes.isEmpty { self.senders[number].channel.hangUp() }
            try self.listen()
        }
    }

    private mutating func say(_ messages: [CastMessage], _ number: Int, pieces: Int? = nil, listens: Bool = true) throws
    {
        guard self.senders[number].channel.isOpen else { return }
        for message in messages {
            let duty = messages.count == 1 ? self.duty(message, on: self.senders[number].channel) : .optional
            self.senders[number].ledger.said(message, duty)
        }
        try self.senders[number].channel.send(messages, pieces: pieces)
        if listens { try self.listen() }
    }

    /// What a sender usually does: launches the media app, connects to it, and loads.
    private mutating func cast(_ number: Int) throws {
        try self.say([self.grammar.platform("LAUNCH", ["appId": "CC1AD845"])], number)
        try self.wait(300)
        self.grammar.transport = self.stage.application?.facts.transportID
        try self.say([self.grammar.connect], number)
        let load = self.grammar.load(&self.input)
        try self.say([load], number)
        if self.input.once(in: 2) { try self.wait(1_000) }
    }

    /// Several messages in one read.
    private mutating func sayAtOnce(_ number: Int) throws {
        var messages: [CastMessage] = []
        for _ in 0..<(2 + self.input.number(below: 5)) {
            let isRequest = self.input.number(below: 4) > 0
            messages.append(isRequest ? self.grammar.request(&self.input) : self.grammar.connection(&self.input))
        }
        try self.say(messages, number)
    }

    private mutating func wait(_ milliseconds: Int64) throws {
        self.stage.loop.advanceTime(by: .milliseconds(milliseconds))
        try self.listen()
    }

    private mutating func completeDeferral() throws {
        guard let deferral = self.stage.slow.deferrals.last else { return }
        let verdicts: [Verdict] = [
            Verdict(.forward(nil)), Verdict(.reply(.text("{\"type\":\"DONE\"}"))), Verdict(.handled), .drop("slow"),
            .pass,
        ]
        deferral.complete(with: self.input.one(of: verdicts))
        for index in self.senders.indices {
            self.senders[index].ledger.forgive { $0.namespace == SequenceGrammar.slow }
        }
        self.stage.loop.run()
        try self.listen()
    }

    // MARK: What has to be answered

    /// Whether the protocol answers a message, as things stand.
    private func duty(_ message: CastMessage, on channel: SenderChannel) -> ConversationLedger.Duty {
        let connections = channel.connection.virtualConnections
        let isBroadcast = message.destination == .broadcast
        guard message.namespace.isValid, !message.namespace.isTransport, message.source != .broadcast,
            message.source.rawValue.utf8.count <= ReceiverPlatform.maximumIDLength,
            isBroadcast
                ? connections.hasLocals(of: message.source)
                : connections.contains(VirtualConnection(local: message.destination, peer: message.source))
        else { return .optional }
        let summary = PayloadSummary(peeking: message.payload)
        guard let type = summary.type, let id = summary.requestID, id != .spontaneous,
            id.description.utf8.count <= ReceiverPlatform.maximumIDLength
        else { return .optional }
        // Only the setup namespace calls it by its other name.
        let json = message.payload.jsonObject
        guard message.namespace == .setup || RequestID(json: json?["requestId"]) == id else { return .optional }
        switch message.namespace {
        case SequenceGrammar.say, SequenceGrammar.slow: return .optional
        case SequenceGrammar.echo: return .required
        case .receiver where type == "LAUNCH":
            // This one never answers, and what is launched in its place may be it.
            return json?["appId"] == "55000000" ? .optional : .required
        default: break
        }
        let isPlatform = isBroadcast || message.destination == .platformReceiver
        guard !isPlatform, let app = self.stage.application else { return .required }
        if message.namespace == .media, app.player != nil { return .required }
        return app.facts.namespaces.contains(message.namespace) ? .optional : .required
    }

    // MARK: Checks

    /// Judges what all senders have heard.
    private mutating func listen() throws {
        for index in self.senders.indices {
            let channel = self.senders[index].channel
            let sources = Set(channel.connection.virtualConnections.all.map(\.connection.local))
            for message in try channel.heard() {
                try self.senders[index].ledger.heard(
                    message, connectedTo: self.senders[index].sources.union(sources))
            }
            self.senders[index].sources = sources
            // A channel that ended owes nothing.
            if !channel.isOpen { self.senders[index].ledger.forgive() }
        }
    }

    /// What holds after every step.
    private func check() throws {
        let platform = self.stage.platform
        let open = self.senders.filter { $0.channel.isOpen }
        try Violation.unless(
            self.stage.device.senders.count == open.count,
            "\(open.count) channels are open, and the device knows \(self.stage.device.senders.count)")
        var pairs = 0
        for sender in open {
            let connections = sender.channel.connection.virtualConnections
            try Violation.unless(
                connections.count <= VirtualConnections.maximumCount, "\(connections.count) virtual connections")
            pairs += connections.count
            for (pair, _) in connections.all {
                try Violation.unless(
                    platform.senders.kind(of: pair, on: sender.channel.connection.id) != nil,
                    "\(sender.channel.connection.id): the receiver does not know \(pair)")
            }
        }
        try Violation.unless(
            platform.senders.count == pairs, "the receiver knows \(platform.senders.count) of \(pairs) connections")
        let waiters = platform.pendingLaunch?.waiters.count ?? 0
        try Violation.unless(waiters <= PendingLaunch.maximumWaiters, "\(waiters) wait for one launch")
        if let player = self.stage.application?.player {
            let changes = player.session?.queueChanges ?? []
            try Violation.unless(player.outbox.isEmpty && changes.isEmpty, "the player holds messages back")
            let count = player.session?.queue.count ?? 0
            try Violation.unless(count <= PlayerQueue.maximumCount, "a queue of \(count) items")
        }
        // The slow handler misses deadlines, as it should.
        if let warning = self.stage.log.warnings.first(where: {
            !$0.contains("slow") && !$0.hasPrefix("A flow is full")
        }) {
            throw Violation("warned: \(warning)")
        }
    }

    /// Waits until everything is answered, as senders that live.
    private mutating func settle() throws {
        for _ in 0..<Self.patience {
            for index in self.senders.indices {
                let ping = CastMessage(
                    source: "sender-0", destination: .platformReceiver, namespace: .heartbeat,
                    payload: HeartbeatPayload.ping.payload)
                try self.say([ping], index, listens: false)
            }
            try self.wait(4_000)
            try self.check()
        }
        for sender in self.senders where sender.channel.isOpen { try sender.ledger.settled() }
    }

    /// Every sender goes, and nothing may be left of them.
    private mutating func leave() throws {
        for sender in self.senders { sender.channel.hangUp() }
        try self.check()
        let platform = self.stage.platform
        try Violation.unless(platform.senders.count == 0, "\(platform.senders.count) virtual connections are left")
        try Violation.unless(!platform.isSenderConnected, "the app still sees a sender")
        try Violation.unless(platform.pendingLaunch?.waiters.isEmpty ?? true, "a launch still waits for its answer")
        let idle = self.stage.device.drain(for: .seconds(1))
        var isIdle = false
        idle.assumeIsolated().whenSuccess { isIdle = true }
        try Violation.unless(isIdle, "the router still holds messages back")
        self.stage.loop.advanceTime(by: .seconds(2))
        weak let first = self.senders.first?.channel.connection
        weak let last = self.senders.last?.channel.connection
        self.senders = []
        try Violation.unless(first == nil && last == nil, "a sender that is gone is still held")
        self.stage.device.stop("the sequence ends")
        self.stage.loop.run()
    }
}
