import CastWire
import GatewayCore

/// Which of the gateway's events plugins are told, and with what values.
extension GatewayEvent {
    /// Whether plugins are told of it. Events that follow from messages are left out, since plugins observe the messages;
    /// so are those that concern the gateway alone.
    var isForPlugins: Bool {
        switch self {
        case .senderConnected, .senderDisconnected, .sessionStarted, .sessionEnded, .deviceOnline, .deviceOffline,
            .channel, .custom:
            true
        default: false
        }
    }

    /// The virtual device that it happened on.
    var virtualDevice: String? {
        switch self {
        case .senderConnected(let device, _, _), .senderDisconnected(let device, _, _, _),
            .sessionStarted(let device, _), .sessionEnded(let device, _, _, _, _):
            device
        case .channel(let channel, _): if case .sender = channel.owner { channel.device } else { nil }
        default: nil
        }
    }

    /// Its values on the plugin wire.
    var pluginData: JSONObject {
        switch self {
        case .senderConnected(let device, let connection, let address):
            [
                "device": .string(device), "connection": .number(Int(truncatingIfNeeded: connection.rawValue)),
                "sender": .string(address),
            ]
        case .senderDisconnected(let device, let connection, let reason, _):
            [
                "device": .string(device), "connection": .number(Int(truncatingIfNeeded: connection.rawValue)),
                "reason": .string(reason),
            ]
        case .sessionStarted(let device, let facts):
            [
                "device": .string(device), "session": .string(facts.sessionID), "app": .string(facts.appID.rawValue),
                "transport": .string(facts.transportID.rawValue), "name": .string(facts.displayName),
                "namespaces": .array(facts.namespaces.map { .string($0.rawValue) }),
            ]
        case .sessionEnded(let device, let session, let reason, _, _):
            ["device": .string(device), "session": .string(session), "reason": .string(reason)]
        case .channel(let channel, let change): channel.pluginData(of: change)
        case .deviceOnline(let target): ["target": .string(target)]
        case .deviceOffline(let target, let reason): ["target": .string(target), "reason": .string(reason)]
        case .custom(_, let data): ["data": data]
        default: [:]
        }
    }
}

extension AppChannel {
    /// The values of an event of the channel on the plugin wire.
    fileprivate func pluginData(of change: AppChannelChange) -> JSONObject {
        var data: JSONObject = [
            "device": .string(self.device), "namespace": .string(self.namespace.rawValue),
            "app": .string(self.app.rawValue), "session": .string(self.sessionID),
        ]
        if case .sender(let connection, let pair, _) = self.owner {
            data["connection"] = .number(Int(truncatingIfNeeded: connection.rawValue))
            data["source"] = .string(pair.peer.rawValue)
        }
        switch change {
        case .connected, .writable: data["writable"] = .bool(self.isWritable)
        case .disconnected(let reason): data["reason"] = .string(reason)
        }
        return data
    }
}
