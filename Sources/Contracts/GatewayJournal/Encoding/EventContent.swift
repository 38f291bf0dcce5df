import CastWire
import GatewayCore

/// What an event says, before it has a number.
struct EventContent: Sendable {
    /// The longest name that an event of a handler or a plugin keeps as its type.
    private static let maximumNameLength = 128

    let declaration: EventDeclaration
    /// The member `type`.
    let type: String
    /// Whether the resource is not there any more.
    var isLast: Bool
    /// The member `data`.
    var data: JSONObject

    /// A handler's event cannot pass for one of the gateway's: under a name of the catalogue it is told as `custom`.
    init(_ event: GatewayEvent) {
        self.declaration = event.declaration
        if case .custom(let name, _) = event, !name.isEmpty, name.utf8.count <= Self.maximumNameLength,
            EventCatalogue.named[name] == nil
        {
            self.type = name
        } else {
            self.type = self.declaration.name
        }
        self.isLast = self.declaration.endsResource
        self.data = self.declaration.data
    }

    /// The resource whose latest value it is; nil for a log event.
    var key: ResourceKey? { self.declaration.key }
}

extension GatewayEvent {
    /// What the event says to readers of the journal.
    var content: EventContent { EventContent(self) }
}

extension EventDeclaration {
    /// The resource whose latest value it is; nil for a log event. A device of the list is its id, whatever it is called.
    var key: ResourceKey? {
        guard case .state(let resource, let id, _) = self.kind else { return nil }
        return ResourceKey(resource: resource, device: resource == .device ? "" : self.device ?? "", id: id)
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
        var facts = CastSessionFacts(number: session, device: self.device, appID: "", state: .disconnected)
        facts.category = cause.data.string("category").flatMap { DeviceCategory(rawValue: $0) } ?? facts.category
        let event: GatewayEvent
        switch self.resource {
        case .media: event = .castMedia(facts, .status(nil))
        case .queue: event = .castMedia(facts, .queue(itemIDs: nil))
        case .volume: event = .castSession(facts, .volume(level: nil, muted: nil))
        case .group: event = .castSession(facts, .members([]))
        default: return nil
        }
        var content = event.content
        content.data["members"] = nil
        content.isLast = true
        return content
    }
}
