public import CastWire
import NIOCore

/// Something that happened, for subscribers such as plugins, the API, webhooks and MQTT.
///
/// A case and what ``declaration`` has for it are the whole of an event; a family of events is an enumeration of its own.
public enum GatewayEvent: Hashable, Sendable {
    /// A sender's channel was accepted.
    case senderConnected(device: String, connection: ConnectionID, address: String)
    /// A sender said what it is, with the first CONNECT that does; once for a connection.
    case senderIntroduced(device: String, connection: ConnectionID, address: String, facts: SenderFacts)
    /// A sender's channel is gone; the close reason is the sender's own, or else follows from how the channel ended.
    case senderDisconnected(
        device: String, connection: ConnectionID, reason: String, closeReason: ConnectionPayload.CloseReason? = nil)
    /// Connections of an address were turned away, so many since the last such event of the address and the device.
    case senderRefused(device: String, address: String, reason: String, count: Int)
    /// An address sends faster than it may, so its connections are read more slowly: so many pauses since the last such
    /// event of the address and the device.
    case senderThrottled(device: String, address: String, count: Int)
    /// An app runs on the virtual device.
    case sessionStarted(device: String, session: SessionFacts)
    /// The app stopped; the running app is the one in its place, the close reason the app's own when it closed connections.
    case sessionEnded(
        device: String, sessionID: String, reason: String, runningApp: AppID? = nil,
        closeReason: ConnectionPayload.CloseReason? = nil)
    /// The receiver's status changed: the `status` object of RECEIVER_STATUS.
    case receiverStatus(device: String, status: JSONObject)
    /// Something changed at the virtual device itself: its volume, its screen.
    case receiverChanged(device: String, ReceiverChange)
    /// The state of playback changed: one element of MEDIA_STATUS's `status`.
    case mediaStatus(device: String, transportID: EndpointID, status: JSONObject)
    /// A message in a namespace of an app's own passed, to or from senders of a virtual device or the gateway's own session with a
    /// real one, or a handler answered or kept it.
    case channelMessage(
        device: String, message: CastMessage, direction: MessageDirection, via: MessageVia = .local)
    /// Something happened to a channel of an app: a sender's, or that of a session of Castway's own.
    case channel(AppChannel, AppChannelChange)
    /// A message was refused; the address is that of the sender that it came from, nil where that has none.
    case messageRejected(device: String, handler: String, reason: String, address: String? = nil)
    /// A handler failed too often and is not asked for a while.
    case handlerSuspended(device: String, handler: String)
    /// The channel to a real device is open.
    case deviceOnline(target: String)
    /// The channel to a real device is lost, or cannot be opened.
    case deviceOffline(target: String, reason: String)
    /// A real device said something else of itself than before: the `status` object of RECEIVER_STATUS, by whichever sender it was changed.
    case deviceStatus(target: String, status: JSONObject)
    /// No channel to a real device is kept any more; nothing more is told of it until there is one again.
    case deviceReleased(target: String)
    /// A real device proved that it is one, for the first time or after another outcome; the name is that of its
    /// certificate.
    case deviceVerified(target: String, commonName: String, isAudioOnly: Bool)
    /// A real device did not prove that it is one, for the first time or in another way than before; when `isRefused` it is
    /// not used.
    case deviceNotVerified(target: String, code: CastErrorCode, reason: String, isRefused: Bool)
    /// Devices are searched for from now on.
    case discoveryStarted(category: String)
    /// Devices are not searched for any more.
    case discoveryStopped(category: String)
    /// Devices are to be searched for, and cannot.
    case discoveryBlocked(category: String, reason: String)
    /// Changes of the device list follow, each with indices that are valid at its moment.
    case deviceListWillUpdate
    /// A device is new in the list, at this index.
    case deviceInserted(device: JSONObject, index: Int)
    /// A device says something else; it was at the one index and is at the other.
    case deviceUpdated(device: JSONObject, index: Int, newIndex: Int)
    /// A device is not in the list any more; it was at this index.
    case deviceRemoved(device: JSONObject, index: Int)
    /// These were all changes; so many devices are in the list.
    case deviceListDidUpdate(count: Int)
    /// How casting stands as a whole has changed, or is told for the first time.
    case castState(CastState, previous: CastState?)
    /// Launch credentials were set or cleared while the gateway runs; apps that run now do not learn of it. The app is nil
    /// for those that have none of their own.
    case credentialsPending(app: AppID?)
    /// What launches follow was chosen, or taken back, while the gateway runs: the names of what changed.
    case launchChanged(keys: [String], category: DeviceCategory? = nil)
    /// A new configuration is in force; `changes` are the keys.
    case configurationReloaded(changes: [String])
    /// A new configuration was refused, and the old one stays.
    case reloadFailed(reason: String)
    // Sessions of Castway's own.
    /// A session of Castway's own with an app on a real device was started, suspended, resumed, ended, or changed.
    case castSession(CastSessionFacts, CastSessionChange)
    /// Something happened to the media of a session of Castway's own.
    case castMedia(CastSessionFacts, CastMediaChange)
    /// Something happened to a plugin.
    case plugin(name: String, PluginChange)
    /// Something happened to a bridge: a destination of the outbox, such as `webhook:backend` or `mqtt`.
    case bridge(name: String, BridgeChange)
    /// Something happened to a catalogue, a list of videos.
    case catalogue(name: String, CatalogueChange)
    /// Something happened to a join code or to a guest.
    case join(JoinChange)
    /// A virtual device is there from now on.
    case virtualDeviceAdded(device: String)
    /// What senders see of a virtual device: when it is new, and when a reload changed it.
    case virtualDeviceDescribed(device: String, friendlyName: String, model: String)
    /// A virtual device is not there any more.
    case virtualDeviceRemoved(device: String)
    /// A virtual device is a member of a speaker group from now on, or is one no more; the device is the group.
    case groupMember(device: String, member: String, isMember: Bool)
    /// Something happened to the stream of a mirroring sender of a virtual device.
    case mirroring(device: String, MirroringChange)
    /// Something happened at a virtual device whose senders are passed through.
    case passed(device: String, PassedDeviceChange)
    /// A caller's request went on: the request as it is answered. The device is nil for one that is about none.
    case request(id: String, device: String?, facts: JSONObject)
    /// A line of the gateway's log, without what must not be printed.
    case logRecord(JSONObject)
    /// Something that a handler reports.
    case custom(name: String, data: JSONValue)

    /// The event's name on every interface, such as `session.started`.
    public var name: String { if case .custom(let name, _) = self { name } else { self.declaration.name } }
}

extension GatewayEvent: EventFamily {
    /// The event with all that is said of it.
    package var declaration: EventDeclaration {
        switch self {
        // Senders.
        case .senderConnected(let device, let connection, let address):
            Event(
                "sender.connected", .log, .virtualDevice(device), peer: .init(address: address),
                plugins: .granted(.sender)
            ) {
                "A sender's channel was accepted"
                Self.connection(connection)
                EventField("sender", address, "Its address")
                EventField.standsFor
            }
        case .senderIntroduced(let device, let connection, let address, let facts):
            Event("sender.introduced", .log, .virtualDevice(device), plugins: .granted(.sender)) {
                "A sender said what it is, as most do right after their channel stands; once for a channel"
                Self.connection(connection)
                EventField("sender", address, "Its address")
                facts.fields
            }
        case .senderDisconnected(let device, let connection, let reason, let closeReason):
            Event("sender.disconnected", .log, .virtualDevice(device), plugins: .granted(.sender)) {
                "A sender's channel is gone"
                Self.connection(connection)
                EventField.reason(reason)
                EventField.optional(
                    "close_reason", closeReason?.word,
                    "The reason of the sender's CLOSE to the platform, or what follows from how the channel ended",
                    as: EventField.closeWords
                ).forPlugins(as: nil)
            }
        case .senderRefused(let device, let address, let reason, let count):
            Event("sender.refused", .log, .virtualDevice(device)) {
                "Connections of an address were turned away"
                EventField("sender", address, "The address")
                EventField.reason(reason)
                EventField("count", count, "How many since the last such event of the address")
            }
        case .senderThrottled(let device, let address, let count):
            Event("sender.throttled", .log, .virtualDevice(device)) {
                "An address sends faster than it may, and is read more slowly"
                EventField("sender", address, "The address")
                EventField("count", count, "How many pauses since the last such event of the address")
            }
        case .channelMessage(let device, let message, let direction, let via):
            Event(
                "channel.message", .log, .any(device), readers: .messages, mayHaveCause: true,
                size: .bytes(message.payload.bytes.readableBytes), namespace: message.namespace.rawValue
            ) {
                "A message in an app's own namespace passed a virtual device, or the gateway's own session with a real one, or was answered there by "
                    + "a channel or another handler; only where a reader, a channel or a caller names the namespace"
                EventField(
                    "via", via,
                    "Whose connection it passed: the gateway's own session with the device, senders of a virtual device that relays, or "
                        + "senders of one that is the built-in receiver")
                EventField("namespace", message.namespace.rawValue, "The namespace")
                EventField("direction", direction, "Where it goes")
                EventField("source", message.source.rawValue, "The end that sends")
                EventField("destination", message.destination.rawValue, "The end that it is for; `*` for all")
                Self.content(of: message.payload)
            }
        case .messageRejected(let device, let handler, let reason, let address):
            Event(
                "message.rejected", .log, .any(device), mayHaveCause: true,
                peer: .init(address: address, code: "\(handler) \(reason)")
            ) {
                "A message was refused"
                EventField("handler", handler, "What refused it")
                EventField.reason(reason)
                EventField.optional(
                    "sender", address, "The sender's address; missing for messages of devices, plugins and callers")
                EventField.standsFor
            }
        case .handlerSuspended(let device, let handler):
            Event("handler.suspended", .log, .any(device)) {
                "A handler failed too often and is not asked for a while"
                EventField("handler", handler, "The handler")
            }
        case .channel(let channel, let change): channel.declaration(of: change)
        // Virtual devices.
        case .virtualDeviceAdded(let device):
            Event("virtual_device.added", .state(.virtualDevice), .virtualDevice(device)) {
                "A virtual device is there from now on"
            }
        case .virtualDeviceDescribed(let device, let friendlyName, let model):
            Event("virtual_device.described", .state(.description), .virtualDevice(device)) {
                "What senders see of a virtual device, when it is new and when a reload changed it"
                EventField("friendly_name", friendlyName, "Its name")
                EventField("model", model, "Its model")
            }
        case .virtualDeviceRemoved(let device):
            Event("virtual_device.removed", .state(.virtualDevice, isLast: true), .virtualDevice(device)) {
                "A virtual device is not there any more"
            }
        case .groupMember(let device, let member, let isMember):
            Event(
                isMember ? "group.member_added" : "group.member_removed", .log, .virtualDevice(device),
                otherDevice: member
            ) {
                // As `group.members` does, it tells of no device that the reader may not use.
                "A virtual device plays with a speaker group \(isMember ? "from now on" : "no more"), by `group.change` or a reload"
                EventField("member", member, "The member's name")
            }
        case .receiverStatus(let device, let status):
            Event(
                "receiver.status", .state(.virtualDevice), .virtualDevice(device), mayHaveCause: true,
                size: .json(.object(status))
            ) {
                "A virtual device told its senders another status: apps, volume"
                EventField("status", status.withShortVolume, "The `status` of RECEIVER_STATUS")
                EventField.origin
            }
        case .mediaStatus(let device, let transport, let status):
            Event(
                "media.status", .state(.media), .virtualDevice(device), mayHaveCause: true, size: .json(.object(status))
            ) {
                "What plays on a virtual device has changed"
                EventField.mediaStatus(status.withShortVolume)
                EventField.optional("transport_id", transport.rawValue, "The app's end of virtual connections")
                EventField.origin
                EventField.position
            }
        case .sessionStarted(let device, let app):
            Event("session.started", .log, .virtualDevice(device), mayHaveCause: true, plugins: .granted(.sender)) {
                "An app runs on a virtual device"
                EventField.category(.virtual)
                EventField("session_id", app.sessionID, "The session's id").forPlugins(as: "session")
                EventField("app", app.appID.rawValue, "The id of the app")
                EventField("transport_id", app.transportID.rawValue, "The app's end of virtual connections")
                    .forPlugins(as: "transport")
                EventField("display_name", app.displayName, "The app's name").forPlugins(as: "name")
                EventField("namespaces", app.namespaces.map(\.rawValue), "What the app understands")
                EventField.optional(
                    "version_code", app.versionCode,
                    "The number of the app's version, as the file gives it; missing where it gives none"
                ).forPlugins(as: nil)
            }
        case .sessionEnded(let device, let session, let reason, let app, let closeReason):
            Event("session.ended", .log, .virtualDevice(device), mayHaveCause: true, plugins: .granted(.sender)) {
                "An app on a virtual device stopped"
                EventField.category(.virtual)
                EventField("session_id", session, "The session's id").forPlugins(as: "session")
                EventField.reason(reason)
                EventField.runningApp(app)
                EventField.closeReason(closeReason)
            }
        case .receiverChanged(let device, let change): change.declaration(on: device)
        case .mirroring(let device, let change): change.declaration(on: device)
        case .passed(let device, let change): change.declaration(on: device)
        // Real devices and the search for them.
        case .deviceOnline(let target):
            Event("device.online", .state(.channel), .realDevice(target), plugins: .all()) {
                "The channel to a real device is open"
                EventField.plugin("target", .string(target))
            }
        case .deviceOffline(let target, let reason):
            Event("device.offline", .state(.channel), .realDevice(target), plugins: .all()) {
                "The channel to a real device is lost, or cannot be opened"
                EventField.plugin("target", .string(target))
                EventField.reason(reason)
            }
        case .deviceStatus(let target, let status):
            Event("device.status", .state(.receiver), .realDevice(target)) {
                "A real device told another status of itself: apps, volume; by whichever sender it was changed"
                EventField("status", status, "The `status` of RECEIVER_STATUS")
            }
        case .deviceReleased(let target):
            Event("device.released", .state(.channel, isLast: true), .realDevice(target)) {
                "No channel to a real device is kept any more; its status and what came of its authentication are forgotten too"
            }
        case .deviceVerified(let target, let commonName, let isAudioOnly):
            Event("device.verified", .state(.authentication), .realDevice(target)) {
                "A real device proved that it is one"
                EventField("common_name", commonName, "The name of its certificate")
                EventField("audio_only", isAudioOnly, "Whether the certificate is of a device without pictures")
            }
        case .deviceNotVerified(let target, let code, let reason, let isRefused):
            Event("device.not_verified", .state(.authentication), .realDevice(target)) {
                "A real device did not prove that it is one"
                EventField.code(code)
                EventField.reason(reason)
                EventField("refused", isRefused, "Whether it is not used for that")
            }
        case .deviceListWillUpdate:
            Event("device.list_will_update", .log, .gateway) {
                "Changes of the device list follow, each with indices that are valid at its moment"
            }
        case .deviceInserted(let device, let index):
            Self.listed("device.inserted", device, size: .large) {
                "A device is new in the list"
                EventField("index", index, "Where it is in the list")
            }
        case .deviceUpdated(let device, let index, let newIndex):
            Self.listed("device.updated", device, size: .large) {
                "A device in the list says something else"
                EventField("index", index, "Where it was in the list")
                EventField("new_index", newIndex, "Where it is in the list")
            }
        case .deviceRemoved(let device, let index):
            Self.listed("device.removed", device, isLast: true) {
                "A device is not in the list any more"
                EventField("index", index, "Where it was in the list")
            }
        case .deviceListDidUpdate(let count):
            Event("device.list_did_update", .log, .gateway) {
                "These were all changes of the device list"
                EventField("count", count, "How many devices are in the list")
            }
        case .discoveryStarted(let category):
            Event("discovery.started", .state(.discovery, id: category), .gateway) {
                "Devices are searched for from now on"
                Self.searched(category)
            }
        case .discoveryStopped(let category):
            Event("discovery.stopped", .state(.discovery, id: category), .gateway) {
                "Devices are not searched for any more"
                Self.searched(category)
            }
        case .discoveryBlocked(let category, let reason):
            Event("discovery.blocked", .state(.discovery, id: category), .gateway) {
                "Devices are to be searched for, and cannot"
                Self.searched(category)
                EventField.reason(reason)
            }
        // The gateway's own sessions.
        case .castSession(let facts, let change): facts.declaration(of: change)
        case .castMedia(let facts, let change): facts.declaration(of: change)
        // The gateway itself.
        case .join(let change): change.declaration
        case .castState(let state, let previous):
            Event("gateway.cast_state", .state(.gateway), .gateway) {
                "How casting stands as a whole has changed; of several sessions the one that is furthest counts"
                EventField(
                    "state", state,
                    "How it stands: whether devices are listed, and how the gateway's own sessions with them are")
                EventField.optional("previous", previous, "How it stood before; missing at the start")
            }
        case .credentialsPending(let app):
            Event("credentials.pending", .log, .gateway) {
                "Launch credentials were set or cleared; apps that run now do not learn of it"
                EventField.optional("app", app?.rawValue, "The app; missing for those that have none of their own")
            }
        case .launchChanged(let keys, let category):
            Event("launch.changed", .log, .gateway) {
                "What launches follow was chosen or taken back by an operation"
                EventField("keys", keys, "The names of what changed, as `launch.set` has them")
                EventField.optional("category", category?.rawValue, "For whose devices; missing for all")
            }
        case .configurationReloaded(let changes):
            Event("config.reloaded", .log, .gateway, size: .large) {
                "A new configuration is in force"
                EventField("changes", changes, "The keys that changed")
            }
        case .reloadFailed(let reason):
            Event("config.reload_failed", .log, .gateway) {
                "A new configuration was refused, and the old one stays"
                EventField.reason(reason)
            }
        case .logRecord(let facts):
            Event("log.record", .log, .gateway, readers: .admins, isLive: true) {
                "A line of the gateway's log, where `log.sinks` has `events`; only for readers that name it, and not kept"
                EventField(
                    "level", facts["level"] ?? "", "Its level",
                    as: .word(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
                EventField("component", facts["component"] ?? "", "The component", as: .text)
                EventField("message", facts["message"] ?? "", "What it says, up to 4096 characters", as: .text)
                EventField("time", facts["time"] ?? "", "When it was made, RFC 3339", as: .text)
                EventField.optional(
                    "fields", facts["fields"], "Its fields; missing when there are none, or more than 16 KiB",
                    as: .map(.anything))
                EventField.optional(
                    "function", facts["function"], "The function that made it, where `origin` asks for it", as: .text)
                EventField.optional("location", facts["location"], "Where that is: `Class(Extension):LINE`", as: .text)
                EventField.optional(
                    "left_out", facts["left_out"],
                    "How many lines before it were left out, since there were too many", as: .integer)
            }
        case .request(let id, let device, let facts):
            Event("request.changed", .log, .any(device), mayHaveCause: true, size: .large) {
                "A command of a caller went on"
                EventField("id", id, "The request")
                EventField("request", facts, "The request as `request.get` gives it")
            }
        case .plugin(let name, let change): change.declaration(of: name)
        case .bridge(let name, let change): change.declaration(of: name)
        case .catalogue(let name, let change): change.declaration(of: name)
        case .custom(let name, let data):
            Event("custom", .log, .gateway, mayHaveCause: true, size: .json(data), plugins: .all()) {
                "A handler or a plugin reports something; `type` is the name that it gave"
                EventField("name", name, "The name as the handler or the plugin gave it").forPlugins(as: nil)
                EventField("data", data, "What it reports")
            }
        }
    }

    package static let examples: [GatewayEvent] =
        [
            .senderConnected(device: "", connection: .blank, address: ""),
            .senderIntroduced(device: "", connection: .blank, address: "", facts: SenderFacts()),
            .senderDisconnected(device: "", connection: .blank, reason: ""),
            .senderRefused(device: "", address: "", reason: "", count: 0),
            .senderThrottled(device: "", address: "", count: 0),
            .channelMessage(
                device: "", message: CastMessage(source: "", destination: "", namespace: "", payload: .text("")),
                direction: .toSender),
            .messageRejected(device: "", handler: "", reason: ""), .handlerSuspended(device: "", handler: ""),
        ] + AppChannelChange.examples.map { .channel(.blank, $0) }
        + [
            .virtualDeviceAdded(device: ""), .virtualDeviceDescribed(device: "", friendlyName: "", model: ""),
            .virtualDeviceRemoved(device: ""), .groupMember(device: "", member: "", isMember: true),
            .groupMember(device: "", member: "", isMember: false), .receiverStatus(device: "", status: [:]),
            .mediaStatus(device: "", transportID: "", status: [:]), .sessionStarted(device: "", session: .blank),
            .sessionEnded(device: "", sessionID: "", reason: ""),
        ] + MirroringChange.examples.map { .mirroring(device: "", $0) }
        + PassedDeviceChange.examples.map { .passed(device: "", $0) }
        + ReceiverChange.examples.map { .receiverChanged(device: "", $0) }
        + [
            .deviceOnline(target: ""), .deviceOffline(target: "", reason: ""), .deviceStatus(target: "", status: [:]),
            .deviceReleased(target: ""), .deviceVerified(target: "", commonName: "", isAudioOnly: false),
            .deviceNotVerified(target: "", code: .timeout, reason: "", isRefused: false), .deviceListWillUpdate,
            .deviceInserted(device: [:], index: 0), .deviceUpdated(device: [:], index: 0, newIndex: 0),
            .deviceRemoved(device: [:], index: 0), .deviceListDidUpdate(count: 0), .discoveryStarted(category: ""),
            .discoveryStopped(category: ""), .discoveryBlocked(category: "", reason: ""),
        ] + CastSessionChange.examples.map { .castSession(.blank, $0) }
        + CastMediaChange.examples.map { .castMedia(.blank, $0) } + JoinChange.examples.map { .join($0) }
        + [
            .castState(.connected, previous: nil), .credentialsPending(app: nil), .launchChanged(keys: []),
            .configurationReloaded(changes: []), .reloadFailed(reason: ""), .logRecord([:]),
            .request(id: "", device: nil, facts: [:]),
        ] + PluginChange.examples.map { .plugin(name: "", $0) } + BridgeChange.examples.map { .bridge(name: "", $0) }
        + CatalogueChange.examples.map { .catalogue(name: "", $0) } + [.custom(name: "", data: [:])]

    private static func connection(_ connection: ConnectionID) -> EventField {
        EventField("connection", connection.number, "The number of the channel in this run of the gateway")
    }

    private static func searched(_ category: String) -> EventField {
        EventField("category", category, "Which provider's devices: `cast`")
    }

    private static func content(of payload: CastMessage.Payload) -> [EventField] {
        let (json, text, base64): (JSONValue?, String?, String?) =
            switch payload {
            case .binary(let bytes): (nil, nil, Base64.text(bytes))
            case .text(let bytes):
                (try? JSONReader.read(bytes)).map { ($0, nil, nil) } ?? (nil, String(buffer: bytes), nil)
            }
        return [
            .optional("json", json, "The payload, when it is JSON"),
            .optional("text", text, "The payload, when it is other text"),
            .optional("base64", base64, "The payload, when it is binary"),
        ]
    }

    /// An event of a device in the list. The device's name in the gateway is that of the configuration, or its id. What callers may see
    /// hangs on it, so it is never one that the device gives itself.
    private static func listed(
        _ name: String, _ device: JSONObject, isLast: Bool = false, size: Event.Size = .small,
        @EventBody.Builder body: @escaping @Sendable () -> EventBody
    ) -> Event {
        Event(
            name, .state(.device, id: device.string("uniqueId") ?? "", isLast: isLast),
            .realDevice(device.string("staticName") ?? device.string("deviceId")), size: size, plugins: .granted(.own)
        ) {
            let said = body()
            said.summary
            EventField("device", device, "The device, as `castway devices --json` shows it").forPlugins(as: nil)
            said.fields.map { $0.forPlugins(as: nil) }
            EventField.plugin("id", device["deviceId"] ?? "")
            EventField.plugin("friendlyName", device["friendlyName"] ?? "")
            EventField.plugin("model", device["modelName"] ?? "")
        }
    }
}
