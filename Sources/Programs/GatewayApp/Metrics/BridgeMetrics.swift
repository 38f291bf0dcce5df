import GatewayMetrics
import MessageBridges
import NamespaceHandlers

/// The metrics of bridges, the outbox and channels, from what they count anyway.
struct BridgeMetrics {
    /// The bridges, and what they share.
    let bridges: Bridges
    /// What channels did not take.
    let refusals: ChannelRefusals

    var families: [MetricFamily] {
        let outbox = self.bridges.outbox
        var families = outbox.standings.sorted { $0.key < $1.key }.flatMap(Self.families(of:_:))
        families.append(MetricFamily(.outboxVolatile, outbox.volatility == nil ? 0 : 1))
        families.append(MetricFamily(.outboxCommits, Double(outbox.commits)))
        if let bytes = outbox.bytesOnDisk { families.append(MetricFamily(.outboxSize, Double(bytes))) }
        return families + self.broker + [self.channels]
    }

    private static func families(of name: String, _ standing: OutboxStatistics) -> [MetricFamily] {
        func family(_ declaration: MetricDeclaration, _ value: Int) -> MetricFamily {
            var family = MetricFamily(declaration)
            family.add([name], Double(value))
            return family
        }
        var attempts = MetricFamily(.bridgeAttempts)
        for (result, count) in standing.attempts { attempts.add([name, result.rawValue], Double(count)) }
        var replies = MetricFamily(.bridgeReplies)
        for (result, count) in standing.replies { replies.add([name, result.rawValue], Double(count)) }
        var durations = MetricFamily(.bridgeDeliveryDuration)
        durations.add([name], .histogram(standing.durations))
        return [
            family(.bridgeUp, standing.state == .up ? 1 : 0), family(.bridgeWaiting, standing.waiting),
            family(.bridgeWaitingBytes, standing.waitingBytes), family(.bridgeDeadLetters, standing.dead),
            family(.bridgeGivenUp, standing.buried), family(.bridgeOverflows, standing.overflowed), attempts, durations,
            replies,
        ]
    }

    private var broker: [MetricFamily] {
        let mqtt = self.bridges.mqtt
        var commands = MetricFamily(.mqttCommands)
        for (outcome, count) in mqtt.commands { commands.add([outcome.rawValue], Double(count)) }
        switch mqtt.standing {
        case .off: return [commands]
        case .connected: return [MetricFamily(.mqttConnected, 1), commands]
        case .disconnected: return [MetricFamily(.mqttConnected, 0), commands]
        }
    }

    private var channels: MetricFamily {
        var family = MetricFamily(.channelRefusals)
        for (key, count) in self.refusals.counts { family.add([key.namespace, key.rule.rawValue], Double(count)) }
        return family
    }
}
