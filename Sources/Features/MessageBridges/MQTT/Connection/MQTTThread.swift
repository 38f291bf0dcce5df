import CMosquitto
import Glibc
import Logging
import NIOCore

/// The work of the thread of an ``MQTTConnection``: waits for the socket, the mailbox and the state machine's deadline, and does what
/// each of them wants.
final class MQTTThread {
    private enum Kind {
        case ordered(MQTTConnection.Completion)
        case retained(topic: String)
        case farewell
    }

    private struct InFlight {
        let number: UInt64
        let kind: Kind
    }

    private let connection: MQTTConnection
    private let logger: Logger
    private var machine: MQTTLinkStateMachine
    private var options: MosquittoClient.Options
    private var client: MosquittoClient?
    private var terms = MQTTTerms()
    private var accepted: MQTTTerms?
    /// The packets of subscriptions that the broker has not confirmed, with their filters.
    private var subscriptions: [Int32: String] = [:]
    private var inFlight: [Int32: InFlight] = [:]
    private var sent: UInt64 = 0
    private var takesRetainedNext = false
    private var rate: MQTTInboundRate
    private var lastPing = NIODeadline.now()
    private var hasStopped = false
    private var isFarewellSaid = false
    private var hasEnded = false
    private var lastLogged: MQTTReason?

    init(_ connection: MQTTConnection) {
        self.connection = connection
        self.logger = connection.logger
        self.options = connection.settings.client
        self.machine = MQTTLinkStateMachine(times: connection.settings.times)
        self.rate = MQTTInboundRate(perSecond: connection.settings.rate, at: .now())
    }

    func run() {
        // Signals are others' business, and a broker that has gone must not end the program.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        self.receive(.begin)
        while !self.hasEnded {
            if self.connection.takeWake(), !self.hasStopped {
                self.hasStopped = true
                self.receive(.stop)
                continue
            }
            if self.machine.isOpen { self.pump() }
            self.settle()
            guard !self.hasEnded else { break }
            self.wait()
            self.settle()
        }
        self.loseAll("the bridge stops")
    }

    // MARK: Waiting

    private func wait() {
        let now = NIODeadline.now()
        var timeout: Int64 = self.client == nil ? 60_000 : 1000
        if let deadline = self.machine.deadline {
            timeout = max(0, min(timeout, (deadline - now).nanoseconds / 1_000_000 + 1))
        }
        var descriptors = [pollfd(fd: self.connection.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
        if let client = self.client, let descriptor = client.descriptor {
            let events = POLLIN | (client.wantsWrite ? POLLOUT : 0)
            descriptors.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
        }
        let count = poll(&descriptors, UInt(descriptors.count), Int32(timeout))
        guard let client = self.client else { return }
        if count > 0, descriptors.count > 1 {
            let found = Int32(descriptors[1].revents)
            if found & (POLLIN | POLLHUP | POLLERR) != 0 { client.read() }
            if found & POLLOUT != 0, client.descriptor != nil { client.write() }
        }
        let after = NIODeadline.now()
        if after - self.lastPing >= .seconds(1) {
            self.lastPing = after
            client.keepAlive()
        }
    }

    /// Tells the state machine what has become of the connection.
    private func settle() {
        if let terms = self.accepted {
            self.accepted = nil
            self.terms = terms
            self.receive(.accepted)
        }
        if self.isFarewellSaid { self.receive(.farewellSaid) }
        if let client = self.client, let reason = client.end {
            self.receive(.lost(reason, random: .random(in: 0..<1)))
        }
        if let deadline = self.machine.deadline, deadline <= .now() {
            self.receive(.timeout(random: .random(in: 0..<1)))
        }
    }

    // MARK: The state machine

    private func receive(_ event: MQTTLinkStateMachine.Event) {
        switch self.machine.receive(event, at: .now()) {
        case .connect: self.connect()
        case .subscribe: self.subscribe()
        case .open: self.open()
        case .close(let reason, let wasOpen, let pause): self.close(reason, wasOpen: wasOpen, retryAfter: pause)
        case .sayFarewell: self.sayFarewell()
        case .end:
            self.client?.disconnect()
            self.client?.write()
            self.client = nil
            self.hasEnded = true
        case nil: break
        }
    }

    private func connect() {
        self.subscriptions = [:]
        let handlers = MosquittoClient.Handlers(
            accepted: { [unowned self] reason, terms in if reason == .code(0) { self.accepted = terms } },
            subscribed: { [unowned self] in self.subscribed($0, $1) },
            published: { [unowned self] in self.published($0, $1) },
            received: { [unowned self] in self.received($0) })
        do throws(MQTTFailure) {
            self.client = try MosquittoClient(
                self.options, handlers: handlers, on: self.connection.settings.group.next())
        } catch {
            self.receive(.lost(error.reason, random: .random(in: 0..<1)))
        }
    }

    private func subscribe() {
        let settings = self.connection.settings
        for (filters, isLocal) in [(settings.filters, true), (settings.ownFilters, false)] {
            for filter in filters {
                guard let packet = self.client?.subscribe(to: filter, isLocal: isLocal) else { return }
                self.subscriptions[packet] = filter
            }
        }
        if self.subscriptions.isEmpty { self.receive(.subscribed) }
    }

    private func subscribed(_ packet: Int32, _ codes: [Int32]) {
        guard let filter = self.subscriptions.removeValue(forKey: packet) else { return }
        if let code = codes.first(where: { $0 >= 0x80 }) {
            self.logger.error(
                "The broker refuses a subscription, so what comes there is not heard",
                metadata: ["filter": "\(filter)", "reason": "\(MQTTReason.code(code))"])
        }
        if self.subscriptions.isEmpty { self.receive(.subscribed) }
    }

    private func open() {
        self.lastLogged = nil
        self.connection.open()
        self.logger.info(
            "Connected with the MQTT broker",
            metadata: ["broker": "\(self.options.address.host):\(self.options.address.port)"])
        if !self.terms.retains || self.terms.maximumQoS == 0 {
            self.logger.warning(
                "The broker cannot do all that the bridge needs",
                metadata: ["retains": "\(self.terms.retains)", "maximum_qos": "\(self.terms.maximumQoS)"])
        }
        self.connection.handlers.opened(self.terms)
    }

    private func close(_ reason: MQTTReason, wasOpen: Bool, retryAfter pause: TimeAmount) {
        self.client = nil
        self.accepted = nil
        // A broker that retains nothing, or knows QoS 0 only, refuses the will that says otherwise (3.1.2.6 and 3.1.2.7 of MQTT 5).
        if reason == .code(Int32(MQTT_RC_RETAIN_NOT_SUPPORTED.rawValue)) { self.options.retainsWill = false }
        if reason == .code(Int32(MQTT_RC_QOS_NOT_SUPPORTED.rawValue)) { self.options.willQoS = 0 }
        if reason != self.lastLogged {
            self.lastLogged = reason
            self.logger.warning(
                wasOpen ? "The connection with the MQTT broker is lost" : "The MQTT broker cannot be used",
                metadata: [
                    "broker": "\(self.options.address.host):\(self.options.address.port)", "reason": "\(reason)",
                    "retry_after_ms": "\(pause.nanoseconds / 1_000_000)",
                ])
        }
        let waiting = self.connection.close()
        self.connection.handlers.closed(reason)
        self.lose(waiting, "the connection with the broker is lost: \(reason)")
    }

    private func sayFarewell() {
        let farewell = MQTTPublication(
            topic: self.options.willTopic, payload: ByteBuffer(string: self.options.will), isRetained: true)
        let waiting = self.connection.close()
        self.connection.handlers.closed(.timeout("the bridge stops"))
        self.lose(waiting, "the bridge stops", withInFlight: false)
        if self.terms.maximumQoS == 0 || !self.send(farewell, .farewell) { self.isFarewellSaid = true }
    }

    private func loseAll(_ reason: String) { self.lose(self.connection.close(), reason) }

    private func lose(
        _ waiting: CircularBuffer<MQTTConnection.Outgoing>, _ reason: String, withInFlight: Bool = true
    ) {
        if withInFlight {
            let lost = self.inFlight.values.sorted { $0.number < $1.number }
            self.inFlight = [:]
            for entry in lost {
                if case .ordered(let completion) = entry.kind { completion(.lost(reason)) }
            }
        }
        for outgoing in waiting { outgoing.completion(.lost(reason)) }
    }

    // MARK: Sending

    /// Sends what waits, as far as the broker lets it: what keeps its order and what it retains take turns.
    private func pump() {
        let window = min(self.terms.receiveMaximum, MosquittoClient.sendMaximum)
        let gathering = self.connection.hasMany ? self.client : nil
        gathering?.isGathering = true
        defer { gathering?.isGathering = false }
        while self.inFlight.count < window, let client = self.client, client.end == nil, !client.wantsWrite {
            self.takesRetainedNext.toggle()
            if self.takesRetainedNext {
                guard self.sendRetained() || self.sendOrdered() else { return }
            } else {
                guard self.sendOrdered() || self.sendRetained() else { return }
            }
        }
    }

    private func sendOrdered() -> Bool {
        guard let outgoing = self.connection.nextOrdered() else { return false }
        guard self.terms.maximumQoS > 0 || !outgoing.needsAcknowledgement else {
            outgoing.completion(.refused("the broker acknowledges nothing (maximum QoS 0)"))
            return true
        }
        _ = self.send(outgoing.publication, .ordered(outgoing.completion))
        return true
    }

    private func sendRetained() -> Bool {
        guard let (topic, payload) = self.connection.nextRetained() else { return false }
        var publication = MQTTPublication(topic: topic, payload: payload, isRetained: true)
        if payload.readableBytesView.first == UInt8(ascii: "{") { publication.contentType = "application/json" }
        _ = self.send(publication, .retained(topic: topic))
        return true
    }

    /// - Returns: whether it is under way.
    private func send(_ publication: MQTTPublication, _ kind: Kind) -> Bool {
        guard let client = self.client else {
            self.complete(kind, with: .lost("there is no connection with the broker"))
            return false
        }
        let qos = Int32(min(1, self.terms.maximumQoS))
        do throws(MQTTFailure) {
            let packet = try client.publish(
                publication, qos: qos, isRetained: publication.isRetained && self.terms.retains)
            guard qos > 0 else {
                self.complete(kind, with: .acknowledged)
                return true
            }
            self.sent += 1
            self.inFlight[packet] = InFlight(number: self.sent, kind: kind)
            return true
        } catch {
            // A connection that has ended is found by `settle()`; it loses this one with the others.
            self.complete(kind, with: client.end == nil ? .refused("\(error.reason)") : .lost("\(error.reason)"))
            return false
        }
    }

    private func published(_ packet: Int32, _ reason: MQTTReason) {
        guard let entry = self.inFlight.removeValue(forKey: packet) else { return }
        guard case .code(let code) = reason, code < 0x80 else {
            let isFull = reason == .code(Int32(MQTT_RC_QUOTA_EXCEEDED.rawValue))
            self.complete(
                entry.kind,
                with: isFull
                    ? .full("the broker takes no more: \(reason)") : .refused("the broker refuses it: \(reason)"))
            return
        }
        self.complete(entry.kind, with: .acknowledged)
    }

    private func complete(_ kind: Kind, with outcome: MQTTPublishOutcome) {
        switch kind {
        case .ordered(let completion): completion(outcome)
        case .retained(let topic):
            switch outcome {
            case .refused(let reason), .full(let reason):
                self.logger.warning("A topic is not published", metadata: ["topic": "\(topic)", "reason": "\(reason)"])
            case .acknowledged, .lost: break
            }
            self.connection.acknowledge(topic)
        // Told to the state machine when libmosquitto is not within a callback, since the client ends with it.
        case .farewell: self.isFarewellSaid = true
        }
    }

    // MARK: Receiving

    private func received(_ message: MQTTInbound) {
        // The broker's copies of what the gateway retains come in numbers that others do not choose.
        let isOwn =
            message.isRetained && self.connection.settings.ownFilters.contains { message.topic.matches(filter: $0) }
        guard isOwn || self.rate.admit(at: .now()) else {
            if self.rate.isNews {
                self.logger.warning(
                    "Commands come faster than they are taken, and some are dropped",
                    metadata: ["dropped": "\(self.rate.dropped)", "per_second": "\(self.connection.settings.rate)"])
            }
            return
        }
        self.connection.handlers.received(message)
    }
}

extension String {
    /// True if a filter with `+` means this topic.
    fileprivate func matches(filter: String) -> Bool {
        let (levels, wanted) = (
            self.split(separator: "/", omittingEmptySubsequences: false),
            filter.split(separator: "/", omittingEmptySubsequences: false)
        )
        return levels.count == wanted.count && zip(levels, wanted).allSatisfy { $1 == "+" || $0 == $1 }
    }
}

/// The limit of incoming messages: so many a second, and twice as many at once.
struct MQTTInboundRate: Sendable {
    private let perSecond: Double
    private var tokens: Double
    private var last: NIODeadline
    /// The number of messages beyond the limit.
    private(set) var dropped = 0
    private var lastNews: NIODeadline?
    /// True if the last drop is to be logged: once a minute.
    private(set) var isNews = false

    init(perSecond: Int, at now: NIODeadline) {
        self.perSecond = Double(max(1, perSecond))
        self.tokens = self.perSecond * 2
        self.last = now
    }

    /// Returns true if one more message is taken.
    mutating func admit(at now: NIODeadline) -> Bool {
        let elapsed = Double((now - self.last).nanoseconds) / 1e9
        self.last = now
        self.tokens = min(self.perSecond * 2, self.tokens + max(0, elapsed) * self.perSecond)
        self.isNews = false
        guard self.tokens < 1 else {
            self.tokens -= 1
            return true
        }
        self.dropped += 1
        if self.lastNews.map({ now - $0 >= .minutes(1) }) ?? true {
            self.lastNews = now
            self.isNews = true
        }
        return false
    }
}
