import CastWire
import GatewayConfig
package import GatewayJournal
package import GatewayOperations
package import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import SystemPrimitives

/// The bridge to an MQTT broker: devices and what they do as retained topics, commands and calls of operations, announcements to Home
/// Assistant, and messages of the outbox.
///
/// It runs until the gateway stops, with the configuration that is in force; without one it waits for one.
package final class MQTTBridge: Service, CustomStringConvertible {
    /// The gateway's own data in messages.
    package struct Gateway: Sendable {
        /// `gateway.id`, which stands in all topics.
        package var id: String
        /// `gateway.name`.
        package var name: String
        package var version: String

        package init(id: String, name: String, version: String) {
            self.id = id
            self.name = name
            self.version = version
        }
    }

    package enum Status: Sendable, Hashable {
        case off
        case connected
        case disconnected(String)
    }

    private struct State {
        var configuration: MQTTConfiguration?
        var former: MQTTConfiguration?
        var catalogue: OperationCatalogue?
        var standing = Status.off
        var commands: [MQTTCommandOutcome: Int] = [:]
        /// Ends what runs with the configuration before.
        var change: Latch?
    }

    let carrier = MQTTCarrier()
    private let gateway: Gateway
    private let events: any EventSource
    private let logger: Logger
    private let times: MQTTLinkStateMachine.Times
    private let sleep: @Sendable (Duration) async -> Void
    private let state: Mutex<State>

    /// Makes a bridge that has not begun.
    /// - Parameter configuration: nil for none.
    package convenience init(
        _ configuration: MQTTConfiguration?, gateway: Gateway, events: any EventSource, logger: Logger
    ) {
        self.init(configuration, gateway: gateway, events: events, logger: logger, times: .init())
    }

    /// - Parameter sleep: waits, or ends early when its task is cancelled.
    init(
        _ configuration: MQTTConfiguration?, gateway: Gateway, events: any EventSource, logger: Logger,
        times: MQTTLinkStateMachine.Times,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.gateway = gateway
        self.events = events
        self.logger = logger
        self.sleep = sleep
        self.times = times
        self.state = Mutex(State(configuration: configuration))
    }

    package var description: String { "MQTT bridge" }

    package var standing: Status { self.state.withLock { $0.standing } }

    /// The counts of messages to command topics by outcome, in this run.
    package var commands: [MQTTCommandOutcome: Int] { self.state.withLock { $0.commands } }

    /// Says what commands are carried out by. To be called before ``run()``.
    package func attach(_ catalogue: OperationCatalogue) { self.state.withLock { $0.catalogue = catalogue } }

    /// Puts another configuration in force: the connection with the former broker ends, and messages that are under way are carried
    /// again. The same configuration changes nothing.
    package func replace(_ configuration: MQTTConfiguration?) {
        self.state.withLock { state in
            guard state.configuration != configuration else { return }
            state.former = state.configuration
            state.configuration = configuration
            state.change?.open()
        }
    }

    /// Runs until graceful shutdown or cancellation; then says `offline` and ends the connection.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let change = Latch()
                let state = self.state.withLock { state in
                    state.change = change
                    return state
                }
                await withDiscardingTaskGroup { group in
                    group.addTask { await self.run(state.configuration, former: state.former, state.catalogue) }
                    await change.waitUnlessCancelled()
                    group.cancelAll()
                }
            }
        }
    }

    private func set(_ standing: Status) { self.state.withLock { $0.standing = standing } }

    private func run(_ configuration: MQTTConfiguration?, former: MQTTConfiguration?, _ catalogue: OperationCatalogue?)
        async
    {
        guard let configuration, let settings = self.settings(configuration) else {
            self.set(.off)
            return
        }
        self.set(.disconnected("no connection has been made yet"))
        defer { self.set(.off) }
        let topics = MQTTTopics(prefix: configuration.prefix, gateway: self.gateway.id)
        let discovery = self.discovery(configuration, topics)
        let slot = Current<MQTTConnection?>(nil)
        let retain: MQTTStateFollower.Publish = { list in slot.value?.retain(list) }
        let follower = MQTTStateFollower(
            topics: topics, devices: configuration.caller.devices, discovery: discovery,
            formerDiscovery: discovery == nil ? former.flatMap { self.discovery($0, topics) } : nil,
            logger: self.logger,
            publish: retain)
        let desk = MQTTCommandExecutor(
            MQTTCommandExecutor.Surroundings(
                topics: topics, responseTopics: configuration.responseTopics.compactMap { MQTTTopicFilter($0) },
                reservedPrefixes: discovery == nil ? [] : [configuration.homeAssistant.prefix],
                call: { name, input, caller in
                    guard let catalogue else {
                        return .failure(OperationProblem("unavailable", status: 503, "the gateway starts"))
                    }
                    return await catalogue.call(name, input, for: caller)
                },
                caller: { principal in principal.map { configuration.caller(principal: $0) } ?? configuration.caller },
                language: { configuration.language(principal: $0) },
                reference: { follower.reference(to: $0) },
                publish: { answer in
                    slot.value?.publish(answer, needsAcknowledgement: false)
                },
                count: { outcome in self.state.withLock { $0.commands[outcome, default: 0] += 1 } }),
            logger: self.logger)
        let (births, birth) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let handlers = MQTTConnection.Handlers(
            opened: { _ in
                self.set(.connected)
                if let connection = slot.value { self.carrier.attach(connection) }
            },
            closed: { reason in
                self.set(.disconnected("\(reason)"))
                self.carrier.detach()
            },
            received: { message in
                if let device = topics.availabilityDevice(message.topic) {
                    if message.isRetained, message.payload?.readableBytes ?? 1 > 0 { follower.found(device) }
                } else if message.topic == discovery?.statusTopic {
                    let text = message.payload.map { String(buffer: $0) }
                    if text == "online", !message.isRetained { birth.yield() }
                } else {
                    desk.offer(message)
                }
            })
        do throws(MQTTFailure) {
            let connection = try MQTTConnection(settings(topics, discovery), handlers: handlers, logger: self.logger)
            slot.set(connection)
            connection.retain(self.ownTopics(configuration, topics, discovery))
            await withDiscardingTaskGroup { group in
                group.addTask { await connection.run() }
                group.addTask { await desk.run() }
                group.addTask { await follower.run(self.events) }
                if let discovery {
                    group.addTask { await self.greet(births, connection, discovery) }
                }
            }
            // What was under way has come back; nothing reaches the connection from now on.
            self.carrier.detach()
            slot.set(nil)
        } catch {
            self.logger.error("The MQTT bridge does not run", metadata: ["reason": "\(error.reason)"])
        }
    }

    /// Announces everything again some time after Home Assistant has started, not with all others at once.
    private func greet(_ births: AsyncStream<Void>, _ connection: MQTTConnection, _ discovery: HomeAssistantDiscovery)
        async
    {
        for await _ in births {
            await self.sleep(.milliseconds(Int.random(in: 0...5000)))
            if !Task.isCancelled { connection.repeatRetained(below: discovery.root) }
        }
    }

    private func discovery(_ configuration: MQTTConfiguration, _ topics: MQTTTopics) -> HomeAssistantDiscovery? {
        guard configuration.homeAssistant.discovery else { return nil }
        return HomeAssistantDiscovery(
            configuration.homeAssistant, gateway: self.gateway.id, name: self.gateway.name,
            version: self.gateway.version,
            topics: topics)
    }

    private func ownTopics(
        _ configuration: MQTTConfiguration, _ topics: MQTTTopics, _ discovery: HomeAssistantDiscovery?
    ) -> [(topic: String, payload: ByteBuffer?)] {
        let info: JSONObject = [
            "id": .string(self.gateway.id), "name": .string(self.gateway.name),
            "version": .string(self.gateway.version),
            "protocol": configuration.version == .v5 ? "5" : "3.1.1",
        ]
        var list: [(topic: String, payload: ByteBuffer?)] = [
            (topics.bridgeState, ByteBuffer(string: "online")),
            (topics.bridgeInfo, ByteBuffer(string: JSONValue.object(info).text)),
        ]
        if let discovery {
            list.append(
                (discovery.gatewayTopic, ByteBuffer(string: JSONValue.object(discovery.gatewayAnnouncement).text)))
        }
        return list
    }

    /// The settings to connect with; nil for an address that a check refuses.
    private func settings(
        _ configuration: MQTTConfiguration
    ) -> ((MQTTTopics, HomeAssistantDiscovery?) -> MQTTConnection.Settings)? {
        guard let address = configuration.address else {
            self.logger.error("The address of the broker cannot be used")
            return nil
        }
        return { [gateway, times] topics, discovery in
            var client = MosquittoClient.Options(
                address: address, clientID: configuration.clientID ?? "castway-\(gateway.id)",
                willTopic: topics.bridgeState)
            client.version = configuration.version
            client.username = configuration.username
            client.password = configuration.password?.reveal()
            client.certificateAuthorityFile = configuration.certificateAuthorityFile
            client.certificateFile = configuration.certificateFile
            client.privateKeyFile = configuration.privateKeyFile
            client.keepAlive = Int32(clamping: configuration.keepAlive.components.seconds)
            var filters = topics.commandFilters
            if let discovery { filters.append(discovery.statusTopic) }
            return MQTTConnection.Settings(
                client: client, filters: filters, ownFilters: [topics.availabilityFilter], times: times)
        }
    }
}
