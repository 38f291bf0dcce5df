import CastWire
import GatewayCore

/// What an event says, before it has a number.
struct EventContent: Sendable {
    /// The member `type`, and what is declared of it.
    var type: String
    let declaration: EventDeclaration
    /// The member `device`.
    var device: String?
    /// Another device that it names: readers who may not use that one do not get it.
    var otherDevice: String?
    /// Which resource of its kind it is about; the device alone when empty.
    var id = ""
    /// Whether the resource is not there any more.
    var isLast: Bool
    /// The namespace of a message.
    var namespace: String?
    /// The member `data`.
    var data: JSONObject

    /// - Parameter name: of the catalogue.
    init(_ name: String, device: String? = nil, id: String = "", _ data: JSONObject) {
        self.type = name
        self.declaration = EventCatalogue.named[name] ?? EventCatalogue.custom
        self.device = device
        self.id = id
        self.isLast = self.declaration.endsResource
        self.data = data
    }

    /// The resource whose latest value it is; nil for a log event. A device of the list is its id, whatever it is called.
    var key: ResourceKey? {
        self.declaration.resource.map {
            ResourceKey(resource: $0, device: $0 == .device ? "" : self.device ?? "", id: self.id)
        }
    }
}

/// One resource that has a latest value.
struct ResourceKey: Hashable, Sendable {
    let resource: EventResource
    let device: String
    let id: String

    /// The event that says that a resource of a session ended with it; nil for others, which end by events of their own or unsaid.
    /// - Parameter cause: the end of the session.
    func end(with cause: EventContent) -> EventContent? {
        guard let session = Int(self.id) else { return nil }
        let name: String
        switch self.resource {
        case .media: name = "media.session_status"
        case .queue: name = "media.queue"
        case .volume: name = "session.volume"
        case .group: name = "session.members"
        default: return nil
        }
        var content = EventContent(
            name, device: self.device, id: self.id, ["session": .number(session), "via": "own"])
        // Events of sessions say whose device it is; those of media do not.
        if name.hasPrefix("session."), let category = cause.data["category"] { content.data["category"] = category }
        content.isLast = true
        return content
    }
}
