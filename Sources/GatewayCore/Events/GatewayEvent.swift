public import CastWire

/// Something that happened, for subscribers such as plugins, the API, webhooks and MQTT.
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
    public var name: String {
        switch self {
        case .senderConnected: "sender.connected"
        case .senderIntroduced: "sender.introduced"
        case .senderDisconnected: "sender.disconnected"
        case .senderRefused: "sender.refused"
        case .senderThrottled: "sender.throttled"
        case .sessionStarted: "session.started"
        case .sessionEnded: "session.ended"
        case .receiverStatus: "receiver.status"
        case .receiverChanged(_, let change): change.name
        case .mediaStatus: "media.status"
        case .channelMessage: "channel.message"
        case .channel(_, let change): change.name
        case .messageRejected: "message.rejected"
        case .handlerSuspended: "handler.suspended"
        case .deviceOnline: "device.online"
        case .deviceOffline: "device.offline"
        case .deviceStatus: "device.status"
        case .deviceReleased: "device.released"
        case .deviceVerified: "device.verified"
        case .deviceNotVerified: "device.not_verified"
        case .discoveryStarted: "discovery.started"
        case .discoveryStopped: "discovery.stopped"
        case .discoveryBlocked: "discovery.blocked"
        case .deviceListWillUpdate: "device.list_will_update"
        case .deviceInserted: "device.inserted"
        case .deviceUpdated: "device.updated"
        case .deviceRemoved: "device.removed"
        case .deviceListDidUpdate: "device.list_did_update"
        case .castState: "gateway.cast_state"
        case .credentialsPending: "credentials.pending"
        case .launchChanged: "launch.changed"
        case .configurationReloaded: "config.reloaded"
        case .reloadFailed: "config.reload_failed"
        case .castSession(_, let change): change.name
        case .castMedia(_, let change): change.name
        case .plugin(_, let change): change.name
        case .bridge(_, let change): change.name
        case .catalogue(_, let change): change.name
        case .join(let change): change.name
        case .virtualDeviceAdded: "virtual_device.added"
        case .virtualDeviceDescribed: "virtual_device.described"
        case .virtualDeviceRemoved: "virtual_device.removed"
        case .groupMember(_, _, let isMember): isMember ? "group.member_added" : "group.member_removed"
        case .mirroring(_, let change): change.name
        case .passed(_, let change): change.name
        case .request: "request.changed"
        case .logRecord: "log.record"
        case .custom(let name, _): name
        }
    }
}

/// What happened to a plugin.
public enum PluginChange: Hashable, Sendable {
    /// It answers messages from now on.
    case ready(version: String)
    /// It works, and says that something is not as it should be; or it works again after that, when there is no reason.
    case degraded(reason: String?)
    /// It ended without having been asked to. The lines are the last that it wrote to its standard error.
    case crashed(reason: String, lines: [String])
    /// It ends again and again, and is tried at long intervals from now on.
    case crashlooped(reason: String)
    /// It ended as it was meant to, or is not started any more.
    case stopped(reason: String)
    /// It ended, and is not in the configuration any more.
    case removed

    /// The event's name on every interface.
    public var name: String {
        switch self {
        case .ready: "plugin.ready"
        case .degraded: "plugin.degraded"
        case .crashed: "plugin.crashed"
        case .crashlooped: "plugin.crashlooped"
        case .stopped: "plugin.stopped"
        case .removed: "plugin.removed"
        }
    }
}
