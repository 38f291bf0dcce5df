import CastWire
import DeviceControl
import FeatureContract
import GatewayCore
import GatewayJournal
import GatewayMetrics
import GatewayOperations
import GatewaySettings
import MessageBridges
import NIOCore
import NamespaceHandlers
import VirtualDevices

/// The bridges: webhooks, and the outbox that all bridges share. Channels hand their messages over to it.
///
/// It begins before anything that has messages, and stops behind it, so that what was taken last is on disk.
final class BridgesFeature: OperatingFeature, ChannelBridge {
    let name = "bridges"
    /// The webhooks, and the outbox.
    let bridges: Bridges
    /// Judges messages of callers in channels.
    let door: ChannelIngress
    /// What channels did not take.
    let refusals = ChannelRefusals()
    private let context: GatewayContext
    private let journal: EventJournal

    /// - Parameter isVolatile: whether nothing can be written in the state directory.
    init(_ context: GatewayContext, journal: EventJournal, isVolatile: Bool) throws {
        let configuration = context.configuration.current
        self.context = context
        self.journal = journal
        let outbox = Outbox(
            path: isVolatile ? nil : "\(configuration.gateway.stateDirectory)/outbox.db", events: context.events,
            logger: context.makeLogger("Outbox"))
        self.bridges = Bridges(
            outbox: outbox, source: journal,
            gateway: MQTTBridge.Gateway(
                id: configuration.gateway.id, name: configuration.gateway.name, version: context.version),
            group: context.eventLoops, logger: context.makeLogger("Bridges"))
        self.door = ChannelIngress(configuration, outbox: outbox, refusals: self.refusals)
        self.bridges.commit(try self.bridges.prepare(configuration.bridges))
        journal.keepMessages(in: configuration.keptNamespaces)
        context.events.channels.follow(configuration.channelNamespaces, for: "channels")
    }

    func services(among features: [any GatewayFeature], serving operations: OperationCatalogue) -> [StagedService] {
        self.bridges.mqtt.attach(operations)
        return [
            StagedService(.alone, OutboxService(self.bridges.outbox)), StagedService(.alone, self.bridges.mqtt),
        ]
    }

    static let offered: [Offer<BridgesFeature>] = [
        Offer { ListBridges(bridges: $0.bridges) },
        Offer { ResumeBridge(outbox: $0.bridges.outbox) },
        Offer { ListOutbox(outbox: $0.bridges.outbox) },
        Offer { ShowOutboxMessage(outbox: $0.bridges.outbox) },
        Offer { ReplayOutbox(outbox: $0.bridges.outbox) },
        Offer { PurgeOutbox(outbox: $0.bridges.outbox) },
        Offer { TestChannel(bridges: $0.bridges, context: $0.context) },
    ]

    var warnings: [GatewayWarning] {
        get async {
            var warnings: [GatewayWarning] = []
            if let reason = self.bridges.outbox.volatility {
                warnings.append(
                    GatewayWarning(.outboxVolatile, "messages for bridges are kept in memory alone: \(reason)"))
            }
            for (name, standing, reason) in self.bridges.conditions where standing.state != .up {
                warnings.append(
                    GatewayWarning(
                        .bridgeDown,
                        "the bridge '\(name)' is \(standing.state.rawValue)\(reason.map { " (\($0))" } ?? ""), "
                            + "and \(standing.waiting) messages wait for it"))
            }
            return warnings
        }
    }

    /// Senders can use the gateway without a broker, so it is told and keeps nothing from being ready.
    var readinessDetails: [(name: String, value: JSONValue)] {
        switch self.bridges.mqtt.standing {
        case .off: []
        case .connected: [("mqtt", "connected")]
        case .disconnected(let reason): [("mqtt", .string(reason))]
        }
    }

    func metrics(for scrape: MetricsScrape) -> [MetricFamily] {
        BridgeMetrics(bridges: self.bridges, refusals: self.refusals).families
    }

    func prepare(_ change: inout ConfigurationChange) throws -> PreparedChange? {
        let (old, new) = (change.old, change.new)
        guard
            old.bridges != new.bridges || old.channels != new.channels
                || old.virtualDevices.map(\.name) != new.virtualDevices.map(\.name)
        else { return nil }
        let prepared = try self.bridges.prepare(new.bridges)
        let namespaces = new.keptNamespaces
        let channels = new.channelNamespaces
        return PreparedChange(
            // Before the new channels have messages for it.
            begin: { self.bridges.commit(prepared) },
            commit: {
                self.journal.keepMessages(in: namespaces)
                self.context.events.channels.follow(channels, for: "channels")
                self.door.configure(new)
            },
            settle: { self.bridges.retire(beside: prepared) },
            undo: {
                prepared.undo()
                guard let former = try? self.bridges.prepare(old.bridges) else { return }
                self.bridges.commit(former)
                self.bridges.retire(beside: former)
            })
    }

    func close() async { self.bridges.close() }

    // MARK: Channels

    func deliver(_ message: RoutedMessage, to places: [ChannelDelivery]) -> Bool {
        self.bridges.deliver(
            message, webhooks: places.compactMap(\.webhook),
            isPublished: places.contains { $0.mqtt == true })
    }

    func refused(by rule: ChannelRule, in namespace: String) { self.refusals.count(rule, in: namespace) }

    func ask(
        _ message: RoutedMessage, _ reply: ChannelReply,
        completion: @escaping @Sendable (Result<CastMessage.Payload?, GatewayError>) -> Void
    ) {
        self.bridges.ask(webhook: reply.webhook, message, within: reply.deadline, completion: completion)
    }
}

extension GatewayConfiguration {
    /// The namespaces of channels whose messages are always kept in the history of events.
    fileprivate var keptNamespaces: [NamespacePattern] {
        self.channels.filter { $0.deliver.contains { $0.events == true } }
            .compactMap { NamespacePattern($0.namespace) }
    }

    /// The namespaces of all channels.
    fileprivate var channelNamespaces: [NamespacePattern] {
        self.channels.compactMap { NamespacePattern($0.namespace) }
    }
}
