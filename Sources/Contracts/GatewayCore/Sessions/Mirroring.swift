import CastWire
public import NIOCore

/// How a virtual device passes on the streams of mirroring senders.
public struct MirroringSettings: Hashable, Sendable {
    /// Whether it does.
    public var isRelayed: Bool
    /// The ports at which senders may be told to send, 1,024 to 65,535; nil lets the system choose.
    public var ports: ClosedRange<Int>?

    /// Collects the settings.
    public init(isRelayed: Bool, ports: ClosedRange<Int>? = nil) {
        self.isRelayed = isRelayed
        self.ports = ports
    }

    /// Nothing is passed on, and the apps for it are not there.
    public static let off = MirroringSettings(isRelayed: false)
}

/// A target to whose device the streams of mirroring senders can be passed on. Called on the virtual device's event loop.
public protocol MirroringTarget: DeviceTarget {
    /// Takes how streams are passed on from now on. Those that are under way end when none is to be.
    func follow(_ mirroring: MirroringSettings)
}

/// A stream of a mirroring sender that passes the gateway, as it stood at one moment.
public struct MirroringStream: Hashable, Sendable {
    /// The sender's channel.
    public let connection: ConnectionID
    /// The sender's address.
    public let sender: String
    /// The app that shows it, and its session; nil when they are not known.
    public let app: SessionFacts?
    /// Where the sender sends to, without the port.
    public let address: String
    /// The port of ``address``.
    public let port: Int
    /// Where the device takes it.
    public let devicePort: Int
    /// When it was opened.
    public let since: NIODeadline
    /// How many datagrams went to the device, and how many came back.
    public let packets: (toDevice: UInt64, toSender: UInt64)
    /// Their content in bytes.
    public let bytes: (toDevice: UInt64, toSender: UInt64)
    /// How many did not pass, by reason.
    public let drops: [String: UInt64]

    /// Collects what is known.
    public init(
        connection: ConnectionID, sender: String, app: SessionFacts?, address: String, port: Int, devicePort: Int,
        since: NIODeadline, packets: (toDevice: UInt64, toSender: UInt64) = (0, 0),
        bytes: (toDevice: UInt64, toSender: UInt64) = (0, 0), drops: [String: UInt64] = [:]
    ) {
        self.connection = connection
        self.sender = sender
        self.app = app
        self.address = address
        self.port = port
        self.devicePort = devicePort
        self.since = since
        self.packets = packets
        self.bytes = bytes
        self.drops = drops
    }

    /// How many datagrams did not pass, for any reason.
    public var dropped: UInt64 { self.drops.values.reduce(0, &+) }

    /// True when both say the same.
    public static func == (left: MirroringStream, right: MirroringStream) -> Bool {
        left.connection == right.connection && left.sender == right.sender && left.app == right.app
            && left.address == right.address && left.port == right.port && left.devicePort == right.devicePort
            && left.since == right.since && left.packets == right.packets && left.bytes == right.bytes
            && left.drops == right.drops
    }

    /// Hashes what tells streams apart.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.connection)
        hasher.combine(self.address)
        hasher.combine(self.port)
    }
}

/// Why a stream of a mirroring sender has ended. Written as the raw value in events.
public enum MirroringEnd: String, Hashable, Sendable, CaseIterable {
    /// The sender's channel is gone.
    case senderGone = "sender_gone"
    /// The sender closed its connection to the app.
    case closedBySender = "closed_by_sender"
    /// The device closed the sender's connection to the app.
    case closedByDevice = "closed_by_device"
    /// The app is gone, or the device is.
    case appEnded = "app_ended"
    /// The device agreed on another stream with the same sender.
    case replaced
    /// Nothing passed for a minute.
    case idle
    /// The configuration says that nothing is passed on any more, or that other ports are used.
    case reconfigured
    /// The virtual device stands for another device, or has stopped.
    case deviceStopped = "device_stopped"
}

/// What happened to the stream of a mirroring sender.
public enum MirroringChange: Hashable, Sendable {
    /// It is passed on from now on.
    case started(MirroringStream)
    /// It is passed on no more.
    case ended(MirroringStream, reason: MirroringEnd)
    /// The device agreed on a stream that cannot be passed on, and the sender was told so; or a sender that is passed through began one, and
    /// could not be told.
    case refused(sender: String?, app: SessionFacts?, reason: String)

    /// The event's name on every interface.
    public var name: String { self.declaration(on: "").name }
}

extension MirroringChange: EventFamily {
    func declaration(on device: String) -> EventDeclaration {
        switch self {
        case .started(let stream):
            Event("mirroring.started", .log, .virtualDevice(device)) {
                "The stream of a mirroring sender is carried to the device from now on"
                stream.fields
            }
        case .ended(let stream, let reason):
            Event("mirroring.ended", .log, .virtualDevice(device)) {
                "The stream of a mirroring sender is carried no more"
                stream.fields
                EventField("reason", reason, "Why")
                EventField(
                    "packets", Int(clamping: stream.packets.toDevice &+ stream.packets.toSender),
                    "How many datagrams passed, both ways")
                EventField(
                    "bytes", Int(clamping: stream.bytes.toDevice &+ stream.bytes.toSender),
                    "Their content in bytes")
                EventField("dropped", Int(clamping: stream.dropped), "How many datagrams did not pass")
                EventField(
                    "drops",
                    JSONObject(
                        stream.drops.sorted { $0.key < $1.key }.map { ($0.key, .number(Int(clamping: $0.value))) }),
                    "The same by reason; a reason that no datagram had is missing", as: .map(.integer))
            }
        case .refused(let sender, let app, let reason):
            Event("mirroring.refused", .log, .virtualDevice(device)) {
                "A stream cannot be carried: the device agreed on it and the sender was told so, or a sender that is passed through began it"
                EventField.optional("sender", sender, "The sender's address")
                EventField.optional("app", app?.appID.rawValue, "The app")
                EventField.optional("session_id", app?.sessionID, "The app's session")
                EventField("reason", reason, "Why")
            }
        }
    }

    package static let examples: [MirroringChange] = [
        .started(.blank), .ended(.blank, reason: .idle), .refused(sender: nil, app: nil, reason: ""),
    ]
}

extension MirroringStream {
    fileprivate static let blank = MirroringStream(
        connection: .blank, sender: "", app: nil, address: "", port: 0, devicePort: 0, since: .uptimeNanoseconds(0))

    fileprivate var fields: [EventField] {
        [
            EventField("connection", self.connection.number, "The number of the sender's channel"),
            EventField("sender", self.sender, "The sender's address"),
            .optional("app", self.app?.appID.rawValue, "The app that shows it"),
            .optional("session_id", self.app?.sessionID, "The app's session"),
            EventField("port", self.port, "The UDP port of the gateway that the sender sends to"),
            EventField("device_port", self.devicePort, "The UDP port of the device"),
        ]
    }
}
