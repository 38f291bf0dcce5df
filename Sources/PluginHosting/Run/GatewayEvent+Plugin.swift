import CastWire
import GatewayCore

/// Which of the gateway's events plugins are told, and with what values.
extension GatewayEvent {
    /// Whether plugins are told of it. Events that follow from messages are left out, since plugins observe the messages;
    /// so are those that concern the gateway alone.
    var isForPlugins: Bool {
        switch self {
        case .senderConnected, .senderIntroduced, .senderDisconnected, .receiverChanged, .sessionStarted, .sessionEnded,
            .deviceOnline, .deviceOffline,
            .channel, .deviceInserted, .deviceUpdated, .deviceRemoved, .custom:
            true
        case .castSession(_, let change): change.isForPlugins
        default: false
        }
    }

    /// The device that it happened on, virtual or, on the leg ``MessageLeg/own``, real; nil for what all plugins are told.
    var place: (device: String, leg: MessageLeg)? {
        switch self {
        case .senderConnected(let device, _, _), .senderDisconnected(let device, _, _, _),
            .senderIntroduced(let device, _, _, _), .receiverChanged(let device, _),
            .sessionStarted(let device, _), .sessionEnded(let device, _, _, _, _):
            (device, .sender)
        case .channel(let channel, _): if case .sender = channel.owner { (channel.device, .sender) } else { nil }
        case .castSession(let facts, _): (facts.device, .own)
        case .deviceInserted(let device, _), .deviceUpdated(let device, _, _), .deviceRemoved(let device, _):
            (Self.name(of: device), .own)
        default: nil
        }
    }

    /// The name in the gateway of a device of the list: that of the file, or its id.
    private static func name(of device: JSONObject) -> String {
        device.string("staticName") ?? device.string("deviceId") ?? ""
    }

    /// Its values on the plugin wire.
    var pluginData: JSONObject {
        switch self {
        case .senderConnected(let device, let connection, let address):
            [
                "device": .string(device), "connection": .number(Int(truncatingIfNeeded: connection.rawValue)),
                "sender": .string(address),
            ]
        case .senderIntroduced(let device, let connection, let address, let facts):
            JSONObject(
                [
                    ("device", .string(device)), ("connection", .number(Int(truncatingIfNeeded: connection.rawValue))),
                    ("sender", .string(address)),
                ] + facts.pluginData.members.map { ($0.name, $0.value) })
        case .receiverChanged(let device, let change):
            JSONObject([("device", .string(device))] + change.json.members.map { ($0.name, $0.value) })
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
        case .castSession(let facts, let change): facts.pluginData(of: change)
        case .deviceInserted(let device, _), .deviceUpdated(let device, _, _), .deviceRemoved(let device, _):
            [
                "device": .string(Self.name(of: device)), "leg": .string(MessageLeg.own.rawValue),
                "id": device["deviceId"] ?? "", "friendlyName": device["friendlyName"] ?? "",
                "model": device["modelName"] ?? "",
            ]
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
        switch self.owner {
        case .sender(let connection, let pair, _):
            data["connection"] = .number(Int(truncatingIfNeeded: connection.rawValue))
            data["source"] = .string(pair.peer.rawValue)
        case .session(let number):
            data["leg"] = .string(MessageLeg.own.rawValue)
            data["number"] = .number(number)
        }
        switch change {
        case .connected, .writable: data["writable"] = .bool(self.isWritable)
        case .disconnected(let reason): data["reason"] = .string(reason)
        }
        return data
    }
}

extension CastSessionChange {
    /// Whether plugins are told of it: what begins and ends a session, and what its app is.
    fileprivate var isForPlugins: Bool {
        switch self {
        case .didStart, .didFailToStart, .didResume, .didFailToResume, .didSuspend, .didEnd, .appMetadata: true
        default: false
        }
    }
}

extension CastSessionFacts {
    /// The values of an event of the session on the plugin wire.
    fileprivate func pluginData(of change: CastSessionChange) -> JSONObject {
        var data: JSONObject = [
            "device": .string(self.device), "leg": .string(MessageLeg.own.rawValue), "number": .number(self.number),
            "state": .string(self.state.rawValue), "app": .string(self.appID.rawValue),
        ]
        if let app {
            data["session"] = app.sessionID.map { .string($0) }
            data["transport"] = app.transportID.map { .string($0.rawValue) }
            data["name"] = app.displayName.map { .string($0) }
            data["namespaces"] = .array(app.namespaces.map { .string($0.rawValue) })
        }
        switch change {
        case .didFailToStart(let failure), .didFailToResume(let failure), .didEnd(let failure?):
            data["reason"] = .string(failure.message)
        case .didSuspend(let reason): data["reason"] = .string(reason.name)
        default: break
        }
        return data
    }
}
