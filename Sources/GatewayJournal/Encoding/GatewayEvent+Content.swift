import CastWire
import GatewayCore
import GatewayOperations
import NIOCore

extension GatewayEvent {
    /// The longest name that an event of a handler or a plugin keeps as its type.
    private static let maximumNameLength = 128

    /// What the event says to readers of the journal. Every event is in ``EventCatalogue`` under its name.
    var content: EventContent {
        switch self {
        case .senderConnected(let device, let connection, let address):
            EventContent(
                self.name, device: device, ["connection": Self.number(connection), "sender": .string(address)])
        case .senderIntroduced(let device, let connection, let address, let facts):
            EventContent(
                self.name, device: device,
                JSONObject(
                    [("connection", Self.number(connection)), ("sender", .string(address))]
                        + facts.json.members.map { ($0.name, $0.value) }))
        case .receiverChanged(let device, let change): EventContent(self.name, device: device, change.json)
        case .senderDisconnected(let device, let connection, let reason, let closeReason):
            EventContent(
                self.name, device: device,
                JSONObject(optional: [
                    ("connection", Self.number(connection)), ("reason", .string(reason)),
                    ("close_reason", closeReason.map { .string($0.word) }),
                ]))
        case .senderRefused(let device, let address, let reason, let count):
            EventContent(
                self.name, device: device,
                ["sender": .string(address), "reason": .string(reason), "count": .number(count)])
        case .senderThrottled(let device, let address, let count):
            EventContent(self.name, device: device, ["sender": .string(address), "count": .number(count)])
        case .sessionStarted(let device, let facts):
            EventContent(
                self.name, device: device,
                JSONObject(optional: [
                    ("category", .string(DeviceCategory.virtual.rawValue)),
                    ("session_id", .string(facts.sessionID)), ("app", .string(facts.appID.rawValue)),
                    ("transport_id", .string(facts.transportID.rawValue)),
                    ("display_name", .string(facts.displayName)),
                    ("namespaces", .array(facts.namespaces.map { .string($0.rawValue) })),
                    ("version_code", facts.versionCode.map { .number($0) }),
                ]))
        case .sessionEnded(let device, let session, let reason, let app, let closeReason):
            EventContent(
                self.name, device: device,
                JSONObject(optional: [
                    ("category", .string(DeviceCategory.virtual.rawValue)),
                    ("session_id", .string(session)), ("reason", .string(reason)),
                    ("running_app", app.map { .string($0.rawValue) }),
                    ("close_reason", closeReason.map { .string($0.word) }),
                ]))
        case .receiverStatus(let device, let status):
            EventContent(self.name, device: device, ["status": .object(status.withShortVolume)])
        case .mediaStatus(let device, let transport, let status):
            EventContent(
                self.name, device: device,
                ["status": .object(status.withShortVolume), "transport_id": .string(transport.rawValue)])
        case .channelMessage(let device, let message, let direction, let via):
            Self.content(of: message, device, direction, via)
        case .channel(let channel, let change): channel.content(of: change)
        case .messageRejected(let device, let handler, let reason, let sender):
            EventContent(
                self.name, device: device,
                JSONObject(optional: [
                    ("handler", .string(handler)), ("reason", .string(reason)), ("sender", sender.map { .string($0) }),
                ]))
        case .handlerSuspended(let device, let handler):
            EventContent(self.name, device: device, ["handler": .string(handler)])
        case .virtualDeviceAdded(let device), .virtualDeviceRemoved(let device):
            EventContent(self.name, device: device, [:])
        case .virtualDeviceDescribed(let device, let friendlyName, let model):
            EventContent(
                self.name, device: device, ["friendly_name": .string(friendlyName), "model": .string(model)])
        case .groupMember(let device, let member, _):
            self.content(ofMember: member, of: device)
        case .mirroring(let device, let change): EventContent(self.name, device: device, change.data)
        case .passed(let device, let change): EventContent(self.name, device: device, change.data)
        case .castSession(let facts, let change): facts.content(of: change)
        case .castMedia(let facts, let change): facts.content(of: change)
        case .request(let id, let device, let facts):
            EventContent(self.name, device: device, ["id": .string(id), "request": .object(facts)])
        case .custom(let name, let data): Self.content(ofCustom: name, data)
        case .deviceOnline, .deviceOffline, .deviceStatus, .deviceReleased, .deviceVerified, .deviceNotVerified,
            .discoveryStarted,
            .discoveryStopped,
            .discoveryBlocked, .deviceListWillUpdate, .deviceInserted, .deviceUpdated, .deviceRemoved,
            .deviceListDidUpdate, .castState, .credentialsPending, .launchChanged, .configurationReloaded,
            .reloadFailed, .plugin, .bridge, .catalogue, .logRecord, .join:
            self.contentBesideMessages
        }
    }

    private func content(ofMember member: String, of group: String) -> EventContent {
        var content = EventContent(self.name, device: group, ["member": .string(member)])
        // As `group.members` does, it tells of no device that the reader may not use.
        content.otherDevice = member
        return content
    }

    /// What events say that have nothing to do with messages.
    private var contentBesideMessages: EventContent {
        switch self {
        case .deviceOnline(let target), .deviceReleased(let target): EventContent(self.name, device: target, [:])
        case .deviceOffline(let target, let reason):
            EventContent(self.name, device: target, ["reason": .string(reason)])
        case .deviceStatus(let target, let status):
            EventContent(self.name, device: target, ["status": .object(status)])
        case .deviceVerified(let target, let commonName, let isAudioOnly):
            EventContent(
                self.name, device: target, ["common_name": .string(commonName), "audio_only": .bool(isAudioOnly)])
        case .deviceNotVerified(let target, let code, let reason, let isRefused):
            EventContent(
                self.name, device: target,
                ["code": .string(code.name), "reason": .string(reason), "refused": .bool(isRefused)])
        case .discoveryStarted(let category), .discoveryStopped(let category):
            EventContent(self.name, id: category, ["category": .string(category)])
        case .discoveryBlocked(let category, let reason):
            EventContent(self.name, id: category, ["category": .string(category), "reason": .string(reason)])
        case .deviceInserted(let device, let index), .deviceRemoved(let device, let index):
            EventContent(
                self.name, device: Self.name(of: device), id: device.string("uniqueId") ?? "",
                ["device": .object(device), "index": .number(index)])
        case .deviceUpdated(let device, let index, let newIndex):
            EventContent(
                self.name, device: Self.name(of: device), id: device.string("uniqueId") ?? "",
                ["device": .object(device), "index": .number(index), "new_index": .number(newIndex)])
        case .deviceListDidUpdate(let count): EventContent(self.name, ["count": .number(count)])
        case .castState(let state, let previous):
            EventContent(
                self.name,
                JSONObject(optional: [
                    ("state", .string(state.rawValue)), ("previous", previous.map { .string($0.rawValue) }),
                ]))
        case .credentialsPending(let app):
            EventContent(self.name, app.map { ["app": .string($0.rawValue)] } ?? [:])
        case .launchChanged(let keys, let category):
            EventContent(
                self.name,
                JSONObject(optional: [
                    ("keys", .array(keys.map { .string($0) })),
                    ("category", category.map { .string($0.rawValue) }),
                ]))
        case .configurationReloaded(let changes):
            EventContent(self.name, ["changes": .array(changes.map { .string($0) })])
        case .logRecord(let facts): EventContent(self.name, facts)
        case .reloadFailed(let reason): EventContent(self.name, ["reason": .string(reason)])
        case .plugin(let name, let change):
            EventContent(
                self.name, id: name,
                JSONObject([("plugin", .string(name))] + change.data.members.map { ($0.name, $0.value) }))
        case .catalogue(let name, let change):
            EventContent(
                self.name,
                JSONObject([("catalogue", .string(name))] + change.data.members.map { ($0.name, $0.value) }))
        case .join(let change): EventContent(self.name, change.data)
        case .bridge(let name, let change):
            EventContent(
                self.name, JSONObject([("bridge", .string(name))] + change.data.members.map { ($0.name, $0.value) }))
        default: EventContent(self.name, [:])
        }
    }

    private static func number(_ connection: ConnectionID) -> JSONValue {
        .number(Int(truncatingIfNeeded: connection.rawValue))
    }

    /// The name of a device of the list in the gateway: that of the configuration, or its id. What callers may see hangs on it, so it
    /// is never one that the device gives itself.
    private static func name(of device: JSONObject) -> String? {
        device.string("staticName") ?? device.string("deviceId")
    }

    private static func content(
        of message: CastMessage, _ device: String, _ direction: MessageDirection, _ via: MessageVia
    ) -> EventContent {
        var data: JSONObject = [
            "via": .string(via.rawValue),
            "namespace": .string(message.namespace.rawValue), "direction": .string(direction.rawValue),
            "source": .string(message.source.rawValue), "destination": .string(message.destination.rawValue),
        ]
        switch message.payload {
        case .binary(let bytes): data["base64"] = .string(Base64.text(bytes))
        case .text(let bytes):
            if let json = try? JSONReader.read(bytes) {
                data["json"] = json
            } else {
                data["text"] = .string(String(buffer: bytes))
            }
        }
        var content = EventContent("channel.message", device: device, data)
        content.namespace = message.namespace.rawValue
        return content
    }

    /// A handler's event cannot pass for one of the gateway's: under a name of the catalogue it is told as `custom`.
    private static func content(ofCustom name: String, _ data: JSONValue) -> EventContent {
        var content = EventContent(EventCatalogue.custom.name, ["name": .string(name), "data": data])
        let isOwn = EventCatalogue.named[name] != nil || name.isEmpty || name.utf8.count > Self.maximumNameLength
        if !isOwn { content.type = name }
        return content
    }
}

extension BridgeChange {
    fileprivate var data: JSONObject {
        switch self {
        case .up: [:]
        case .down(let reason), .disabled(let reason): ["reason": .string(reason)]
        case .overflow(let count): ["count": .number(count)]
        case .deadLetter(let id, let type, let device, let reason):
            JSONObject(optional: [
                ("id", .string(id)), ("type", .string(type)), ("message_device", device.map { .string($0) }),
                ("reason", .string(reason)),
            ])
        }
    }
}

extension CatalogueChange {
    fileprivate var data: JSONObject {
        switch self {
        case .read(let items): ["items": .number(items)]
        case .failed(let code, let reason, let status):
            JSONObject(optional: [
                ("code", .string(code)), ("reason", .string(reason)), ("status", status.map { .number($0) }),
            ])
        }
    }
}

extension JoinChange {
    fileprivate var data: JSONObject {
        func texts(_ list: [String]) -> JSONValue { .array(list.map { .string($0) }) }
        switch self {
        case .codeCreated(let code, let name, let devices, let caller):
            return ["code": .string(code), "name": .string(name), "devices": texts(devices), "by": .string(caller)]
        case .codeRevoked(let code, let name, let caller):
            return ["code": .string(code), "name": .string(name), "by": .string(caller)]
        case .codeExhausted(let code, let name, let attempts):
            return ["code": .string(code), "name": .string(name), "attempts": .number(attempts)]
        case .codeRedeemed(let code, let guest, let name, let devices, let address):
            return JSONObject(optional: [
                ("code", .string(code)), ("guest", .string(guest)), ("name", .string(name)),
                ("devices", texts(devices)), ("address", address.map { .string($0) }),
            ])
        case .guestLeft(let guest, let name, let devices, let address, let reason):
            return JSONObject(optional: [
                ("guest", .string(guest)), ("name", .string(name)), ("devices", texts(devices)),
                ("address", address.map { .string($0) }), ("reason", .string(reason)),
            ])
        }
    }
}

extension PluginChange {
    fileprivate var data: JSONObject {
        switch self {
        case .ready(let version): ["version": .string(version)]
        case .degraded(let reason): reason.map { ["reason": .string($0)] } ?? [:]
        case .crashed(let reason, let lines):
            ["reason": .string(reason), "lines": .array(lines.map { .string($0) })]
        case .crashlooped(let reason), .stopped(let reason): ["reason": .string(reason)]
        case .removed: [:]
        }
    }
}

extension CastSessionFacts {
    private var json: JSONObject {
        var json: JSONObject = [
            "session": .number(self.number), "category": .string(self.category.rawValue),
            "app": .string(self.appID.rawValue), "state": .string(self.state.rawValue),
        ]
        if self.suspendReason != .none { json["suspend_reason"] = .string(self.suspendReason.name) }
        guard let app else { return json }
        if let sessionID { json["session_id"] = .string(sessionID) }
        if let transportID { json["transport_id"] = .string(transportID.rawValue) }
        if let name = app.displayName { json["display_name"] = .string(name) }
        if let text = app.statusText { json["status_text"] = .string(text) }
        json["namespaces"] = .array(app.namespaces.map { .string($0.rawValue) })
        return json
    }

    private func whole(_ change: CastSessionChange, _ members: JSONObject) -> EventContent {
        var data = self.json
        if let word = change.word { data["status"] = .string(word.rawValue) }
        for member in members.members { data[member.name] = member.value }
        return EventContent(change.name, device: self.device, id: "\(self.number)", data)
    }

    private func content(_ name: String, _ members: JSONObject) -> EventContent {
        var data: JSONObject = ["session": .number(self.number)]
        for member in members.members { data[member.name] = member.value }
        return EventContent(name, device: self.device, id: "\(self.number)", data)
    }

    private func slight(_ change: CastSessionChange, _ members: JSONObject) -> EventContent {
        self.content(
            change.name,
            JSONObject([("category", .string(self.category.rawValue))] + members.members.map { ($0.name, $0.value) }))
    }

    fileprivate func content(of change: CastSessionChange) -> EventContent {
        switch change {
        case .willStart, .didStart, .didSuspend, .deviceStatus, .appMetadata, .alreadyConnected:
            self.whole(change, [:])
        case .didFailToStart(let failure), .didFailToResume(let failure): self.whole(change, failure.json)
        case .willResume(let cause), .didResume(let cause):
            self.whole(
                change,
                JSONObject(optional: [
                    ("cause", .string(cause.rawValue)),
                    ("previous_device", cause == .transfer ? self.previousDevice.map { .string($0) } : nil),
                ]))
        case .willEnd(let action): self.whole(change, ["action": .string(action.rawValue)])
        case .didEnd(let failure):
            self.whole(
                change,
                JSONObject(
                    (failure?.json ?? [:]).members.map { ($0.name, $0.value) }
                        + (self.last.map { [("last", .object($0.json))] } ?? [])))
        case .launchStatus(let consent): self.slight(change, ["consent": .string(consent.rawValue)])
        case .volume(let level, let muted):
            self.slight(
                change,
                JSONObject(optional: [
                    ("via", "own"), ("level", level.map { .number($0) }), ("muted", muted.map { .bool($0) }),
                ]))
        case .activeInput(let isActive):
            self.slight(change, JSONObject(optional: [("is_active", isActive.map { .bool($0) })]))
        case .standby(let isStandby):
            self.slight(change, JSONObject(optional: [("is_standby", isStandby.map { .bool($0) })]))
        case .members(let members):
            self.slight(change, ["via": "own", "members": .array(members.map { .object($0.json) })])
        }
    }

    fileprivate func content(of change: CastMediaChange) -> EventContent {
        switch change {
        case .status(let status):
            self.content(
                change.name, JSONObject(optional: [("via", "own"), ("status", status.map { .object($0) })]))
        case .metadata(let media):
            self.content(change.name, JSONObject(optional: [("media", media.map { .object($0) })]))
        case .started(let id): self.content(change.name, ["media_session_id": .number(id)])
        case .ended(let id, let reason, let last):
            self.content(
                change.name,
                JSONObject(optional: [
                    ("media_session_id", .number(id)),
                    ("reason", reason.map { .string(IdleReason(rawValue: $0).word) }),
                    ("last", last.map { .object($0.json) }),
                ]))
        case .preload(let item):
            self.content(change.name, JSONObject(optional: [("item_id", item.map { .number($0) })]))
        case .queue(let items, let changes): self.content(change.name, changes.json(of: items))
        case .failed(let code, let reason):
            self.content(
                change.name,
                ["code": .string(code.name), "cast_code": .number(code.rawValue), "reason": .string(reason)])
        }
    }
}

extension SessionFailure {
    fileprivate var json: JSONObject {
        JSONObject(optional: [
            ("code", .string(self.code.name)), ("cast_code", .number(self.code.rawValue)),
            ("reason", .string(self.message)), ("device_reason", self.reason.map { .string($0) }),
            ("extra_info", self.extraInfo.map { .string($0) }),
            ("running_app", self.app.map { .string($0.rawValue) }),
            ("close_reason", self.closeReason.map { .string($0.word) }),
        ])
    }
}

extension JSONObject {
    /// Leaves out what is nil.
    fileprivate init(optional members: [(String, JSONValue?)]) {
        self.init(members.compactMap { name, value in value.map { (name, $0) } })
    }
}
