package import CastWire
package import GatewayCore
package import GatewayJournal
import GatewayOperations
package import Logging
package import NIOCore
import Synchronization

/// The bridges of a gateway: webhooks, the broker, and the outbox that they share.
///
/// How it works: a channel hands messages over on the event loop of the message (``deliver(_:webhooks:isPublished:)``); they become drafts of the outbox, one
/// for each destination, and the outbox's thread writes and encodes them and has them carried. Events come from the journal by an
/// ``EventForwarder`` for each destination that wants some. A reload replaces what has changed; what waits stays in the outbox.
package final class Bridges: Sendable {
    fileprivate struct Webhook: Sendable {
        let configuration: WebhookConfiguration
        let carrier: WebhookCarrier
        let forwarder: EventForwarder?
    }

    fileprivate struct Broker: Sendable {
        let configuration: MQTTConfiguration
        let carrier: MQTTCarrier
        let topics: MQTTTopics
        /// The topic of messages of channels; nil for below ``topics``.
        let channelTopic: AddressTemplate?
        let forwarder: EventForwarder?

        func topic(of message: RoutedMessage) -> String {
            guard let channelTopic = self.channelTopic else {
                return self.topics.received(
                    namespace: message.message.namespace.rawValue, device: message.device.name)
            }
            return channelTopic.text(AddressTemplate.Values(message), encode: MQTTTopics.encode)
        }

        func publishes(_ device: String) -> Bool { self.configuration.caller.mayUse(device: device) }
    }

    fileprivate struct State {
        var webhooks: [String: Webhook] = [:]
        /// Destinations of others by their names: apps.
        var others: [String: Outbox.Destination] = [:]
        var broker: Broker?
    }

    /// The parts for a new configuration, not in force yet.
    package struct Prepared: Sendable {
        fileprivate let webhooks: [String: Webhook]
        fileprivate let made: [Webhook]
        fileprivate let broker: Broker?

        package func undo() {
            for webhook in self.made { webhook.carrier.close() }
        }
    }

    /// Everything that Castway has taken for a destination.
    package let outbox: Outbox
    /// The connection with the broker, and what is told and done there beside messages.
    package let mqtt: MQTTBridge
    private let gateway: MQTTBridge.Gateway
    private let source: any EventSource
    private let group: any EventLoopGroup
    private let logger: Logger
    private let state = Mutex(State())

    /// Makes bridges without destinations.
    /// - Parameters:
    ///   - source: where events come from.
    ///   - gateway: what back ends are told of it.
    package init(
        outbox: Outbox, source: any EventSource, gateway: MQTTBridge.Gateway, group: any EventLoopGroup, logger: Logger
    ) {
        self.outbox = outbox
        self.source = source
        self.gateway = gateway
        self.mqtt = MQTTBridge(nil, gateway: gateway, events: source, logger: logger)
        self.group = group
        self.logger = logger
    }

    // MARK: Configuration

    /// Makes what a configuration needs beyond what is there; nothing is sent.
    /// - Throws: what is wrong with a secret or a file that a webhook names.
    package func prepare(_ configuration: BridgesConfiguration) throws -> Prepared {
        let current = self.state.withLock { $0.webhooks }
        var (webhooks, made): ([String: Webhook], [Webhook]) = ([:], [])
        do {
            for webhook in configuration.webhooks {
                if let known = current[webhook.name], known.configuration == webhook {
                    webhooks[webhook.name] = known
                    continue
                }
                let new = Webhook(
                    configuration: webhook,
                    carrier: try WebhookCarrier(webhook, version: self.gateway.version, group: self.group),
                    forwarder: self.forwarder(of: webhook))
                made.append(new)
                webhooks[webhook.name] = new
            }
        } catch {
            Prepared(webhooks: [:], made: made, broker: nil).undo()
            throw error
        }
        return Prepared(webhooks: webhooks, made: made, broker: self.broker(configuration.mqtt))
    }

    private func broker(_ configuration: MQTTConfiguration?) -> Broker? {
        guard let configuration else { return nil }
        if let current = self.state.withLock({ $0.broker }), current.configuration == configuration { return current }
        let topics = MQTTTopics(prefix: configuration.prefix, gateway: self.gateway.id)
        let forwarder =
            configuration.events.isEmpty
            ? nil
            : EventForwarder(
                to: Self.broker, types: configuration.events, devices: configuration.caller.devices,
                outbox: self.outbox, source: self.source, eventLoop: self.group.next(), logger: self.logger
            ) { _, device in device.map { topics.event(device: $0) } ?? topics.bridgeEvent }
        return Broker(
            configuration: configuration, carrier: self.mqtt.carrier, topics: topics,
            // A template that is none was refused when the configuration was read.
            channelTopic: configuration.channelTopic.flatMap { try? AddressTemplate($0) }, forwarder: forwarder)
    }

    private func forwarder(of webhook: WebhookConfiguration) -> EventForwarder? {
        guard !webhook.events.isEmpty else { return nil }
        return EventForwarder(
            to: Self.destination(ofWebhook: webhook.name), types: webhook.events, outbox: self.outbox,
            source: self.source, eventLoop: self.group.next(), logger: self.logger)
    }

    /// Puts what was made in force. Webhooks that are not wanted any more stay until ``retire(beside:)``, since messages may still come for
    /// them.
    package func commit(_ prepared: Prepared) {
        let formerBroker = self.state.withLock { $0.broker }
        let (replaced, destinations) = self.state.withLock { state in
            let replaced = state.webhooks.filter { name, webhook in
                prepared.webhooks[name].map { $0.carrier !== webhook.carrier } ?? false
            }
            state.webhooks.merge(prepared.webhooks) { $1 }
            state.broker = prepared.broker ?? state.broker
            return (replaced, state.destinations)
        }
        self.outbox.setDestinations(destinations)
        for webhook in prepared.made { webhook.forwarder?.begin() }
        if let broker = prepared.broker, broker.forwarder !== formerBroker?.forwarder {
            formerBroker?.forwarder?.end()
            broker.forwarder?.begin()
        }
        if let broker = prepared.broker { self.mqtt.replace(broker.configuration) }
        Self.end(replaced.values)
    }

    /// Ends the webhooks that a configuration in force does not want any more.
    package func retire(beside prepared: Prepared) {
        let (old, destinations) = self.state.withLock { state in
            let old = state.webhooks.filter { prepared.webhooks[$0.key] == nil }
            state.webhooks = prepared.webhooks
            let hadBroker = state.broker != nil && prepared.broker == nil
            if hadBroker { state.broker?.forwarder?.end() }
            state.broker = prepared.broker
            return (old, hadBroker || !old.isEmpty ? state.destinations : nil)
        }
        if prepared.broker == nil { self.mqtt.replace(nil) }
        guard let destinations else { return }
        self.outbox.setDestinations(destinations)
        Self.end(old.values)
    }

    private static func end(_ webhooks: some Collection<Webhook>) {
        for webhook in webhooks {
            webhook.forwarder?.end()
            webhook.carrier.close()
        }
    }

    /// Sets a destination that is neither a webhook nor the broker: apps.
    /// - Parameter destination: nil when there is none any more.
    package func set(_ name: String, _ destination: Outbox.Destination?) {
        let all = self.state.withLock { state in
            state.others[name] = destination
            return state.destinations
        }
        self.outbox.setDestinations(all)
    }

    package func close() {
        let webhooks = self.state.withLock { state in
            defer { (state.webhooks, state.broker) = ([:], nil) }
            state.broker?.forwarder?.end()
            return state.webhooks
        }
        Self.end(webhooks.values)
    }

    package static let broker = "mqtt"

    package static func destination(ofWebhook name: String) -> String { "webhook:\(name)" }

    // MARK: For tests of bridges by an operator

    /// A client with the configuration of a webhook, and connections of its own.
    func testClient(ofWebhook name: String) -> WebhookClient? {
        guard let webhook = self.state.withLock({ $0.webhooks[name] }) else { return nil }
        return try? WebhookClient(webhook.configuration, version: self.gateway.version, group: self.group)
    }

    /// The publisher at the broker, and the topic for tests.
    var testCarrier: (carrier: any MessageCarrier, topic: String)? {
        self.state.withLock { $0.broker.map { ($0.carrier, $0.topics.bridgeTest) } }
    }

    // MARK: Messages

    /// Takes a message for delivery. On the event loop of the message.
    /// - Parameters:
    ///   - webhooks: where it goes, by name.
    ///   - isPublished: whether it goes to the broker too.
    /// - Returns: false when it was not taken.
    package func deliver(_ message: RoutedMessage, webhooks: [String], isPublished: Bool) -> Bool {
        let instant = self.outbox.now
        let size = message.message.payload.bytes.readableBytes + 256
        func draft(
            _ destination: String, _ address: String? = nil, _ body: @escaping @Sendable () -> ByteBuffer
        ) -> OutboxDraft {
            OutboxDraft(
                to: destination, device: message.device.name, type: BridgedEvent.messageType, takenAt: instant,
                address: address, size: size, body: body)
        }
        let places = self.state.withLock { state in webhooks.map { state.webhooks[$0]?.carrier.client.place } }
        var drafts = zip(webhooks, places).map { name, place in
            draft(
                Self.destination(ofWebhook: name),
                place?.isFixed == false ? AddressTemplate.Values(message).outboxAddress : nil
            ) { BridgedEvent.body(of: message, at: instant) }
        }
        let broker = isPublished ? self.state.withLock { $0.broker } : nil
        if let broker, broker.publishes(message.device.name) {
            let topic = broker.topic(of: message)
            guard topic.utf8.count <= MQTTTopics.maximumLength else {
                self.logger.debug(
                    "A namespace is too long for a topic", metadata: ["device": "\(message.device.name)"])
                return false
            }
            drafts.append(draft(Self.broker, topic) { MQTTEventMessage(message).body })
        }
        do {
            try self.outbox.take(drafts)
            return true
        } catch {
            return false
        }
    }

    /// Asks a webhook for the reply to a message. On the event loop of the message.
    /// - Parameter completion: called once, from any thread: with the reply, with nil when the back end has none, or with why it
    ///   cannot be had.
    package func ask(
        webhook name: String, _ message: RoutedMessage, within time: Duration,
        completion: @escaping @Sendable (Result<CastMessage.Payload?, GatewayError>) -> Void
    ) {
        guard let webhook = self.state.withLock({ $0.webhooks[name] }) else {
            return completion(.failure(GatewayError(.unavailable, "there is no webhook '\(name)'")))
        }
        webhook.carrier.ask(
            id: OutboxID.random.text, body: BridgedEvent.body(of: message, at: self.outbox.clock.wall()),
            deadline: .now() + TimeAmount(time), values: AddressTemplate.Values(message)
        ) { [logger = self.logger, outbox = self.outbox] result in
            if case .failure(let failure) = result {
                logger.info(
                    "A webhook had no reply", metadata: ["bridge": "webhook:\(name)", "reason": "\(failure)"])
            }
            let reply = result.map(\.payload)
            outbox.ledger.update(Self.destination(ofWebhook: name)) { standing in
                switch reply {
                case .success(.some): standing.replies[.answered, default: 0] += 1
                case .success(nil): standing.replies[.empty, default: 0] += 1
                case .failure: standing.replies[.failed, default: 0] += 1
                }
            }
            completion(reply.mapError { GatewayError(.handlerFailed, "\($0)") })
        }
    }
}

extension Bridges.State {
    fileprivate var destinations: [Outbox.Destination] {
        self.webhooks.values.map { webhook in
            let configuration = webhook.configuration
            return Outbox.Destination(
                Bridges.destination(ofWebhook: configuration.name), configuration.settings, carrier: webhook.carrier)
        } + self.others.values + (self.broker.map { [$0.destination] } ?? [])
    }
}

extension Bridges.Broker {
    fileprivate var destination: Outbox.Destination {
        let configuration = self.configuration
        let settings = DestinationSettings { settings in
            settings.order = MQTTCarrier.order
            settings.retry = .short
            settings.age = configuration.queue.age
            settings.size = configuration.queue.size
            settings.deadAge = configuration.deadLetters.age
            settings.deadSize = configuration.deadLetters.size
        }
        return Outbox.Destination(Bridges.broker, settings, carrier: self.carrier)
    }
}

extension WebhookConfiguration {
    fileprivate var settings: DestinationSettings {
        DestinationSettings { settings in
            settings.order = self.deliveryOrder
            settings.retry = RetrySchedule(Array(self.retry.pauses.dropFirst()))
            settings.age = self.queue.age
            settings.size = self.queue.size
            settings.deadAge = self.deadLetters.age
            settings.deadSize = self.deadLetters.size
        }
    }
}

extension WebhookReply {
    /// The sender's reply; nil when the back end has none.
    var payload: CastMessage.Payload? {
        if self.body.readableBytes == 0 { return nil }
        let isBinary = self.contentType?.lowercased().hasPrefix("application/octet-stream") ?? false
        let isText = (try? UTF8Span(validating: self.body.readableBytesUInt8Span)) != nil
        return isBinary || !isText ? .binary(self.body) : .text(self.body)
    }
}
