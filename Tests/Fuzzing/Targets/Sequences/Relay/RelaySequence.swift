import CastWire
import GatewayCore
import GatewayTesting
import NIOCore
import NIOEmbedded

@testable import DeviceSessions
@testable import VirtualDevices

/// What senders of two virtual devices and one hostile device do, step by step, and what has to hold all the while.
struct RelaySequence {
    private static let maximumSteps = 150
    private static let maximumSenders = 10

    private let stage: RelayStage
    private var device: DeviceEnd?
    private var senders: [SenderChannel] = []
    private var ledger = RelayLedger()
    private var grammar = SequenceGrammar()
    private var input: InputReader
    private var requests: [CastMessage] = []
    private var nextMark = 1

    init(_ input: [UInt8]) throws {
        self.stage = try RelayStage()
        self.input = InputReader(input)
    }

    /// Plays the whole sequence.
    mutating func run() throws {
        try self.accept()
        for _ in 0..<2 { try self.addSender() }
        var steps = 0
        while !self.input.isEmpty, steps < Self.maximumSteps {
            try self.step()
            try self.check()
            steps += 1
        }
        // What the device still owes is answered in its place: at once, or when it has waited for the device.
        self.device?.hangUp()
        try self.listen()
        try self.wait(4_000)
        try self.ledger.settled()
        for sender in self.senders { sender.hangUp() }
        try self.check()
        try Violation.unless(self.stage.session.senders.endCount == 0, "ends of senders that are gone have ids")
        try Violation.unless(
            self.stage.session.senders.pendingCount == 0, "requests of senders that are gone are pending")
        self.stage.stop()
    }

    // MARK: Steps

    private mutating func addSender() throws {
        let number = self.senders.count
        let sender = try SenderChannel(
            to: self.stage.devices[number % self.stage.devices.count], on: self.stage.loop, number: number)
        self.senders.append(sender)
        self.grammar.transport = nil
        try self.say([self.grammar.connect], number)
    }

    private mutating func step() throws {
        let number = self.input.number(below: self.senders.count)
        self.grammar.transport = "web-1"
        switch self.input.number(below: 32) {
        case 0...3: try self.say([self.grammar.connection(&self.input)], number)
        case 4...11: try self.say([self.grammar.request(&self.input)], number)
        case 12: try self.say([self.grammar.request(&self.input), self.grammar.connection(&self.input)], number)
        case 13: try self.say([self.grammar.raw(&self.input)], number)
        case 14...18: try self.deviceAnswers()
        case 19...23: try self.deviceSays()
        case 24: try self.deviceCloses()
        case 25: try self.deviceSendsBytes()
        case 26: try self.wait(self.input.one(of: [1, 1_000, 4_000, 11_000, 30_000]))
        case 27:
            self.device?.hangUp()
            try self.listen()
        case 28:
            self.stage.dialer.refuse()
            try self.listen()
        case 29: try self.accept()
        case 30:
            self.device?.toggleReading()
            try self.listen()
        default:
            if self.senders.count < Self.maximumSenders, self.input.once(in: 2) { return try self.addSender() }
            self.senders[number].hangUp()
            self.ledger.gone(number)
            try self.listen()
        }
    }

    private mutating func say(_ messages: [CastMessage], _ number: Int) throws {
        let sender = self.senders[number]
        guard sender.isOpen else { return }
        for message in messages {
            let isAlone = messages.count == 1
            self.ledger.said(message, on: number, mustBeAnswered: isAlone && self.mustBeAnswered(message, of: sender))
        }
        try sender.send(messages)
        try self.listen()
    }

    /// Whether a request to the platform has to be answered, by the device or in its place.
    private func mustBeAnswered(_ message: CastMessage, of sender: SenderChannel) -> Bool {
        let pair = VirtualConnection(local: message.destination, peer: message.source)
        let summary = PayloadSummary(peeking: message.payload)
        guard message.destination == .platformReceiver, message.namespace.isValid, !message.namespace.isTransport,
            sender.connection.virtualConnections.contains(pair),
            let id = summary.requestID, id != .spontaneous, summary.type != nil
        else { return false }
        return message.namespace == .setup || message.payload.jsonObject?["requestId"] == id.json
    }

    private mutating func wait(_ milliseconds: Int64) throws {
        self.stage.loop.advanceTime(by: .milliseconds(milliseconds))
        try self.listen()
    }

    // MARK: The device

    private mutating func accept() throws {
        guard let channel = try self.stage.dialer.accept() else { return }
        let device = DeviceEnd(channel)
        self.device = device
        try self.listen()
        if !self.input.once(in: 8) { try device.send([self.status(to: .platformSender)]) }
        try self.listen()
    }

    /// Answers a request as a device does, or nearly so.
    private mutating func deviceAnswers() throws {
        guard let device, device.isOpen, !self.requests.isEmpty else { return }
        let request = self.requests.remove(at: self.input.number(below: self.requests.count))
        guard let id = PayloadSummary(peeking: request.payload).requestID else { return }
        var json = self.input.once(in: 4) ? self.input.mediaRequest() : self.status(to: "x").payload.jsonObject ?? [:]
        json["requestId"] = id.json
        json["mark"] = .number(self.mark(for: request.source))
        try device.send([request.reply(json: json)])
        try self.listen()
    }

    /// Sends any message, to one sender or to all.
    private mutating func deviceSays() throws {
        guard let device, device.isOpen else { return }
        let south = self.input.one(of: self.ledger.souths + [.broadcast, .platformSender, "sender-cw1", "sender-x"])
        var message = self.input.once(in: 2) ? self.status(to: south) : self.grammar.raw(&self.input)
        message.destination = south
        message.source = self.input.one(of: [.platformReceiver, "web-1", "web-2", .broadcast, "sender-0"])
        if var json = message.payload.jsonObject {
            json["mark"] = .number(self.mark(for: south))
            message.payload = .json(json)
        }
        try device.send([message])
        try self.listen()
    }

    private mutating func deviceCloses() throws {
        let south = self.input.one(of: self.ledger.souths + [.platformSender, .broadcast])
        let source: EndpointID = self.input.one(of: [.platformReceiver, "web-1", "web-9"])
        try self.device?.send([
            CastMessage(source: source, destination: south, namespace: .connection, json: ["type": "CLOSE"])
        ])
        try self.listen()
    }

    private mutating func deviceSendsBytes() throws {
        let bytes = self.input.bytes(self.input.number(below: 32))
        try self.device?.send(ByteBuffer(bytes: bytes))
        // Behind half a frame nothing is understood.
        if !bytes.isEmpty { self.device?.hangUp() }
        try self.listen()
    }

    /// A status, with an app or two, or with nonsense.
    private mutating func status(to south: EndpointID) -> CastMessage {
        let apps: [JSONValue] = [
            ["appId": "CC1AD845", "sessionId": "s-1", "transportId": "web-1", "displayName": "Default"],
            ["appId": "ABCD1234", "sessionId": "s-2", "transportId": "web-2", "displayName": "Quiz"],
            ["appId": 7, "sessionId": "s-1", "transportId": "receiver-0"], self.input.anything(),
        ]
        let listed = apps.filter { _ in self.input.once(in: 3) }
        var json: JSONObject = [
            "type": "RECEIVER_STATUS", "requestId": 0,
            "status": ["applications": .array(listed), "volume": ["level": 1, "muted": false]],
        ]
        if self.input.once(in: 8) { json["status"] = self.input.anything() }
        return CastMessage(source: .platformReceiver, destination: south, namespace: .receiver, json: json)
    }

    private mutating func mark(for south: EndpointID) -> Int {
        defer { self.nextMark += 1 }
        self.ledger.deviceSays(self.nextMark, to: south)
        return self.nextMark
    }

    // MARK: Checks

    private mutating func listen() throws {
        for message in try self.device?.heard() ?? [] {
            try self.ledger.deviceHeard(message)
            if message.source != .platformSender, !message.namespace.isTransport, self.requests.count < 64 {
                self.requests.append(message)
            }
        }
        for (number, sender) in self.senders.enumerated() {
            for message in try sender.heard() { try self.ledger.heard(message, on: number) }
            if !sender.isOpen { self.ledger.gone(number) }
        }
    }

    /// What holds after every step.
    private func check() throws {
        let open = self.senders.filter(\.isOpen)
        let known = self.stage.devices.reduce(0) { $0 + $1.senders.count }
        try Violation.unless(known == open.count, "\(open.count) channels are open, and the devices know \(known)")
        let pairs = open.reduce(0) { $0 + $1.connection.virtualConnections.count }
        let relayed = self.stage.relays.reduce(0) { $0 + $1.connectionCount }
        try Violation.unless(pairs == relayed, "senders have \(pairs) virtual connections, the relays \(relayed)")
        let ends = open.reduce(0) { $0 + Set($1.connection.virtualConnections.all.map(\.connection.peer)).count }
        let ids = self.stage.session.senders.endCount
        try Violation.unless(ids <= ends, "\(ends) ends are connected, and \(ids) have ids")
        try Violation.unless(
            self.stage.session.senders.pendingCount <= 512, "\(self.stage.session.senders.pendingCount) are pending")
        if let warning = self.stage.log.warnings.first { throw Violation("warned: \(warning)") }
    }
}
