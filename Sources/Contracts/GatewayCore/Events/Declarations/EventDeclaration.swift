package import CastWire
package import HandlerKit

/// An event with all that is said of it: its name and what it means, who gets it, and its fields with their values.
///
/// Every event is declared once, by ``GatewayEvent/declaration`` and the like. The JSON of all readers, what plugins get, and what it
/// takes to keep the event follow from its declaration; the catalogue, AsyncAPI, references and topics follow from the declarations of
/// blank events (``GatewayEvent/examples``). The body is made only when it is asked for.
///
/// ```swift
/// case .deviceOffline(let target, let reason):
///     Event("device.offline", .state(.channel), .realDevice(target)) {
///         "The channel to a real device is lost, or cannot be opened"
///         EventField("reason", reason, "Why, in a few words")
///     }
/// ```
package struct EventDeclaration: Sendable {
    /// The delivery to a reader that is too slow.
    package enum Class: Sendable {
        /// The latest value of a resource: the newest event stands for those before it, and `data` is complete by itself. The id tells
        /// resources of a kind and a device apart; the last event says that the resource does not exist any more.
        case state(EventResource, id: String = "", isLast: Bool = false)
        /// Something that happened: it comes once, or a `gap` frame covers it.
        case log
    }

    /// The device that the member `device` of its frames names.
    package enum Subject: Hashable, Sendable {
        case virtualDevice(String)
        case realDevice(String?)
        /// A device of either kind, or none.
        case any(String?)
        /// It is about no device: the member is not there, and callers that are limited to devices do not get it.
        case gateway
    }

    /// The callers that may read it.
    package enum Readers: Sendable {
        case all
        /// Callers that may read messages of apps.
        case messages
        case admins
    }

    /// The approximate memory that it holds.
    package enum Size: Sendable {
        case small
        /// What the gateway itself makes, and is larger than most.
        case large
        case json(JSONValue)
        case bytes(Int)
    }

    /// The plugins that are told of it. Events that follow from messages are not for plugins, which observe the messages; neither are those
    /// that concern the gateway alone.
    package enum Plugins: Sendable {
        case none
        /// All; the leg is the one that the event names.
        case all(MessageLeg? = nil)
        /// Those that are granted the device on a leg.
        case granted(MessageLeg)
    }

    /// The peer that causes an event. Of each, a minute has a limited number of events.
    package struct Peer: Hashable, Sendable {
        package var address: String?
        package var code: String?
    }

    /// The name on every interface: the member `type`.
    package let name: String
    package let kind: Class
    package let subject: Subject
    package let readers: Readers
    /// True if its frames name the request of a caller that it comes of, when the gateway knows one: the member `cause`.
    package let mayHaveCause: Bool
    /// True if it comes to readers that name it, as it happens, and is not kept: a reader that comes back does not get what it missed.
    package let isLive: Bool
    package let size: Size
    /// The peer, of an event that peers can cause at will.
    package let peer: Peer?
    package let plugins: Plugins
    /// Another device that it names: readers who may not use that one do not get it.
    package let otherDevice: String?
    /// The namespace of a message.
    package let namespace: String?
    private let body: @Sendable () -> EventBody

    init(
        _ name: String, _ kind: Class, _ subject: Subject, readers: Readers = .all, mayHaveCause: Bool = false,
        isLive: Bool = false, size: Size = .small, peer: Peer? = nil, plugins: Plugins = .none,
        otherDevice: String? = nil, namespace: String? = nil,
        @EventBody.Builder body: @escaping @Sendable () -> EventBody
    ) {
        self.name = name
        self.kind = kind
        self.subject = subject
        self.readers = readers
        self.mayHaveCause = mayHaveCause
        self.isLive = isLive
        self.size = size
        self.peer = peer
        self.plugins = plugins
        self.otherDevice = otherDevice
        self.namespace = namespace
        self.body = body
    }

    /// The resource whose latest value it is; nil for a log event.
    package var resource: EventResource? { if case .state(let resource, _, _) = self.kind { resource } else { nil } }

    /// True if the resource does not exist any more when this has happened.
    package var endsResource: Bool { if case .state(_, _, let isLast) = self.kind { isLast } else { false } }

    /// The member `device`.
    package var device: String? {
        switch self.subject {
        case .virtualDevice(let device): device
        case .realDevice(let device), .any(let device): device
        case .gateway: nil
        }
    }

    /// The summary: what has happened, in one line without a full stop.
    package var summary: String { self.body().summary }

    /// The members of `data` as documents have them.
    package var members: [JSONMember] { self.body().fields.members }

    /// The member `data`.
    package var data: JSONObject { self.body().fields.json }

    /// The values on the plugin wire.
    package var pluginData: JSONObject {
        var data: [(String, JSONValue)] = []
        switch self.plugins {
        case .all(let leg?), .granted(let leg):
            data.append(("device", .string(self.device ?? "")))
            if leg == .own { data.append(("leg", .string(leg.rawValue))) }
        case .all(nil), .none: break
        }
        return JSONObject(data + self.body().fields.pluginMembers)
    }
}

/// A kind of resource that has a latest value. Each resource of a kind has a `rev` of its own, which only grows.
package enum EventResource: String, Hashable, Sendable, CaseIterable {
    /// A device in the list of those that are known, by its id.
    case device
    /// The channel to a real device.
    case channel
    /// The outcome of a real device's authentication.
    case authentication
    /// The status of a real device: apps and volume.
    case receiver
    /// A channel of an app: of a sender, or of a session of the gateway's own.
    case appChannel = "app_channel"
    /// A session of the gateway's own.
    case session
    /// The media that plays: of a session of the gateway's own, or of a virtual device.
    case media
    /// The queue of a session of the gateway's own.
    case queue
    /// The volume of the device of a session of the gateway's own.
    case volume
    /// The members of the group of a session of the gateway's own.
    case group
    /// The status that a virtual device tells its senders: apps and volume.
    case virtualDevice = "virtual_device"
    /// The name and model of a virtual device, as senders see them.
    case description
    case plugin
    /// The search for devices.
    case discovery
    /// The gateway as a whole.
    case gateway
}
