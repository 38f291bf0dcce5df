import CastWire
import GatewayCore
import PluginKit

/// What plugins are told of what happens.
extension PluginLife {
    /// Tells the plugin what happens on the devices within its grant.
    func tellEvents(_ connection: PluginConnection) async {
        let subscription = self.context.events.subscribe(seesMessages: false) { event in
            event.isForPlugins && (event.virtualDevice.map { self.bounds.allows(device: $0) } ?? true)
        }
        for await event in subscription.events {
            connection.notify(PluginEvent(type: event.name, data: event.pluginData))
        }
    }
}

extension GatewayEvent {
    /// Whether plugins are told of it: what they are told anyway as messages is left out, and so is what concerns the
    /// gateway alone.
    var isForPlugins: Bool {
        switch self {
        case .senderConnected, .senderDisconnected, .sessionStarted, .sessionEnded, .deviceOnline, .deviceOffline,
            .custom:
            true
        default: false
        }
    }

    /// The virtual device that it happened on.
    var virtualDevice: String? {
        switch self {
        case .senderConnected(let device, _, _), .senderDisconnected(let device, _, _),
            .sessionStarted(let device, _), .sessionEnded(let device, _, _):
            device
        default: nil
        }
    }

    /// Its values, as plugins get them.
    var pluginData: JSONObject {
        switch self {
        case .senderConnected(let device, let connection, let address):
            [
                "device": .string(device), "connection": .number(Int(truncatingIfNeeded: connection.rawValue)),
                "sender": .string(address),
            ]
        case .senderDisconnected(let device, let connection, let reason):
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
        case .sessionEnded(let device, let session, let reason):
            ["device": .string(device), "session": .string(session), "reason": .string(reason)]
        case .deviceOnline(let target): ["target": .string(target)]
        case .deviceOffline(let target, let reason): ["target": .string(target), "reason": .string(reason)]
        case .custom(_, let data): ["data": data]
        default: [:]
        }
    }
}
