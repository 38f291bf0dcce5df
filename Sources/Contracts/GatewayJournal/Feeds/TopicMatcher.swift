import CastWire
import GatewayCore
import GatewayOperations

/// Which events one reader gets: those that it asked for, of devices that it may use, within its scopes.
struct TopicMatcher {
    /// How many decisions are kept.
    private static let maximumDecisions = 1024

    private let topics: [EventTopics.Topic]
    private let caller: Caller
    private var decisions: [Int: Bool] = [:]

    init(_ topics: EventTopics, for caller: Caller) {
        self.topics = topics.topics
        self.caller = caller
    }

    /// Whether events of a topic come.
    mutating func wants(_ name: EventTopicName) -> Bool {
        if let known = self.decisions[name.id] { return known }
        if self.decisions.count >= Self.maximumDecisions { self.decisions = [:] }
        let isWanted = Self.wants(name, self.topics, self.caller)
        self.decisions[name.id] = isWanted
        return isWanted
    }

    private static func wants(_ name: EventTopicName, _ topics: [EventTopics.Topic], _ caller: Caller) -> Bool {
        if name === MarkerFrames.lossTopic { return true }
        guard caller.scopes.contains(name.scope), Self.may(caller, see: name.device),
            name.otherDevice.map(caller.mayUse(device:)) ?? true
        else { return false }
        return topics.contains { topic in
            guard topic.type.matches(name.type) else { return false }
            if name.isLive, !topic.namesLog { return false }
            if let namespace = name.namespace, topic.namespace != namespace { return false }
            guard let pattern = topic.device else { return true }
            return name.device.map(pattern.matches) ?? false
        }
    }

    /// A caller that is limited to devices sees what happens to those, and nothing of the gateway as a whole.
    private static func may(_ caller: Caller, see device: String?) -> Bool {
        guard caller.devices != nil else { return true }
        return device.map(caller.mayUse(device:)) ?? false
    }

    /// The resources of which the reader gets every event, also the one that ends it. Some end unsaid.
    var wholeResources: Set<EventResource> {
        Set(
            EventResource.allCases.filter { resource in
                let names = EventCatalogue.all.filter { $0.resource == resource }.map(\.name)
                return !resource.endsUnsaid
                    && self.topics.allSatisfy { topic in
                        [0, names.count].contains(names.count { topic.type.matches($0) })
                    }
            })
    }

    /// Whether lines of the log have to be told for the reader.
    var readsLog: Bool {
        self.caller.scopes.contains(.admin) && self.caller.devices == nil
            && self.topics.contains { $0.namesLog && $0.type.matches("log.record") }
    }

    /// The namespaces whose messages have to be journalled for the reader.
    var namespaces: Set<Namespace> {
        guard self.caller.scopes.contains(.messages) else { return [] }
        let types = ["channel.message"] + EventCatalogue.all.filter { $0.resource == .appChannel }.map(\.name)
        let named = self.topics.filter { types.contains(where: $0.type.matches) }.compactMap(\.namespace)
        return Set(named.map { Namespace(rawValue: $0) }.filter { $0.family == .custom })
    }
}

extension EventTopics.Topic {
    /// Whether lines of the log are meant: `*` alone does not mean them.
    fileprivate var namesLog: Bool { self.device == nil && self.type.text.hasPrefix("log.") }
}

extension EventResource {
    /// Whether it ends with the resource that it hangs on, without an event of its own.
    fileprivate var endsUnsaid: Bool { [.authentication, .receiver, .description].contains(self) }
}
