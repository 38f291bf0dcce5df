public import CastWire
public import GatewayOperations

/// What is known of an event without a gateway: for documents, AsyncAPI, webhooks and topics.
public struct EventDeclaration: Sendable {
    /// What a reader that is too slow gets of it.
    public enum Class: Hashable, Sendable {
        /// The latest value of a resource: the newest event stands for those before it, and `data` is complete by itself.
        case state(EventResource)
        /// Something that happened: it comes once, or a `gap` frame covers it.
        case log
    }

    /// What the member `device` of its frames names.
    public enum Subject: String, Hashable, Sendable, CaseIterable {
        /// A virtual device.
        case virtualDevice = "virtual device"
        /// A real device.
        case realDevice = "real device"
        /// A device of either kind, or none.
        case any = "device, or none"
        /// It is about no device: the member is not there, and callers that are limited to devices do not get it.
        case gateway = "none"
    }

    /// Its name on every interface: the member `type`.
    public let name: String
    /// What a reader that is too slow gets of it.
    public let kind: Class
    /// What the member `device` names.
    public let subject: Subject
    /// What it takes to read it.
    public let scope: OperationScope
    /// What has happened, in one line without a full stop.
    public let summary: String
    /// The members of `data`.
    public let members: [OperationResult.Member]
    /// Whether the resource does not exist any more when this has happened.
    public let endsResource: Bool

    /// Whether it comes to readers that name it, as it happens, and is not kept: a reader that comes back does not get what it missed.
    public private(set) var isLive = false

    /// Whether its frames name the request of a caller that it comes of, when the gateway knows one: the member `cause`.
    public private(set) var mayHaveCause = false

    /// Describes an event.
    init(
        _ name: String, _ kind: Class, _ subject: Subject, scope: OperationScope = .read, endsResource: Bool = false,
        _ summary: String, _ members: [OperationResult.Member]
    ) {
        self.name = name
        self.kind = kind
        self.subject = subject
        self.scope = scope
        self.summary = summary
        self.members = members
        self.endsResource = endsResource
    }

    /// The same for an event that may come of a request.
    var caused: EventDeclaration {
        var declaration = self
        declaration.mayHaveCause = true
        return declaration
    }

    /// The same for an event that is not kept.
    var live: EventDeclaration {
        var declaration = self
        declaration.isLive = true
        return declaration
    }

    /// The resource whose latest value it is; nil for a log event.
    public var resource: EventResource? { if case .state(let resource) = self.kind { resource } else { nil } }

    /// What of an event's `data` is not as it is declared: JSON pointers with what is wrong there.
    public func faults(of data: JSONObject) -> [String] {
        OperationResult(self.summary, self.members).faults(of: data)
    }
}

/// What has a latest value. Each resource of a kind has a `rev` of its own, which only grows.
public enum EventResource: String, Hashable, Sendable, CaseIterable {
    /// A device in the list of those that are known, by its id.
    case device
    /// The channel to a real device.
    case channel
    /// What came of asking a real device to prove itself.
    case authentication
    /// What a real device tells of itself: apps and volume.
    case receiver
    /// A channel of an app: of a sender, or of a session of the gateway's own.
    case appChannel = "app_channel"
    /// A session of the gateway's own.
    case session
    /// What plays: of a session of the gateway's own, or of a virtual device.
    case media
    /// The queue of a session of the gateway's own.
    case queue
    /// The volume of the device of a session of the gateway's own.
    case volume
    /// The members of the group of a session of the gateway's own.
    case group
    /// What a virtual device tells its senders: apps and volume.
    case virtualDevice = "virtual_device"
    /// What senders see of a virtual device: its name and model.
    case description
    /// A plugin.
    case plugin
    /// The search for devices.
    case discovery
    /// The gateway as a whole.
    case gateway

    /// Whether it ends with the resource that it hangs on, without an event of its own.
    var endsUnsaid: Bool { [.authentication, .receiver, .description].contains(self) }
}
