import CastWire
import SystemPrimitives

/// The names of a gateway's topics: `PREFIX/GATEWAY/…`.
///
/// A device is addressed by its name in the gateway, as in events and operations, percent-encoded; a real device that
/// `gateway.yaml` does not name has its id there. A namespace stands without `urn:x-cast:`. What is encoded, and how, is fixed, so
/// that each name has one spelling: another one is not taken.
struct MQTTTopics: Sendable, Hashable {
    /// The longest topic that is taken, in bytes.
    static let maximumLength = 1024
    private static let namespacePrefix = "urn:x-cast:"

    /// The documents that Castway publishes of a device and keeps at the broker.
    enum Resource: String, Sendable, Hashable, CaseIterable {
        case availability, info, state, media
    }

    /// A topic that others publish to.
    enum Command: Sendable, Hashable {
        /// `device/DEVICE/set`
        case set(device: String)
        /// `device/DEVICE/cmd/VERB`
        case verb(String, device: String)
        /// `device/DEVICE/msg/tx/NAMESPACE`
        case message(namespace: String, device: String)
        /// `rpc/OPERATION` and `rpc/PRINCIPAL/OPERATION`
        case call(operation: String, principal: String?)

        /// The device, where the topic names one.
        var device: String? {
            switch self {
            case .set(let device), .verb(_, let device), .message(_, let device): device
            case .call: nil
            }
        }
    }

    /// `PREFIX/GATEWAY`
    let root: String
    private let prefix: String

    /// - Parameter gateway: `gateway.id`.
    init(prefix: String, gateway: String) {
        self.prefix = prefix
        self.root = "\(prefix)/\(gateway)"
    }

    // MARK: What is published

    /// The state of the gateway: `online` or `offline`, the will.
    var bridgeState: String { "\(self.root)/bridge/state" }
    /// The description of the gateway.
    var bridgeInfo: String { "\(self.root)/bridge/info" }
    var bridgeEvent: String { "\(self.root)/bridge/event" }
    /// The topic of an operator's tests.
    var bridgeTest: String { "\(self.root)/bridge/test" }

    func device(_ name: String, _ resource: Resource) -> String { "\(self.device(name))/\(resource.rawValue)" }

    func event(device name: String) -> String { "\(self.device(name))/event" }

    /// Messages of an app: `device/DEVICE/msg/rx/NAMESPACE`.
    func received(namespace: String, device name: String) -> String {
        "\(self.device(name))/msg/rx/\(Self.encoded(namespace: namespace))"
    }

    /// The filter of all messages of the apps of a device.
    func receivedFilter(device name: String) -> String { "\(self.device(name))/msg/rx/#" }

    /// `device/DEVICE/set`, for what tells others where to publish.
    func set(device name: String) -> String { "\(self.device(name))/set" }

    /// `device/DEVICE/cmd/VERB`, for what tells others where to publish.
    func verb(_ verb: String, device name: String) -> String { "\(self.device(name))/cmd/\(verb)" }

    private func device(_ name: String) -> String { "\(self.root)/device/\(Self.encode(name))" }

    // MARK: What is read

    /// The filters under which commands come.
    var commandFilters: [String] {
        [
            "\(self.root)/device/+/set", "\(self.root)/device/+/cmd/+", "\(self.root)/device/+/msg/tx/+",
            "\(self.root)/rpc/+", "\(self.root)/rpc/+/+",
        ]
    }

    /// The filter under which the gateway finds what an earlier run has left at the broker.
    var availabilityFilter: String { "\(self.root)/device/+/availability" }

    /// The command that a topic stands for; nil for none, and for one that is not spelled as Castway would.
    func command(_ topic: String) -> Command? {
        guard let levels = self.levels(topic) else { return nil }
        if levels.first == "rpc" {
            switch levels.count {
            case 2 where !levels[1].isEmpty: return .call(operation: String(levels[1]), principal: nil)
            case 3 where !levels[1].isEmpty && !levels[2].isEmpty:
                return .call(operation: String(levels[2]), principal: String(levels[1]))
            default: return nil
            }
        }
        guard levels.count >= 3, levels[0] == "device", let device = Self.decode(levels[1]) else { return nil }
        switch (levels[2], levels.count) {
        case ("set", 3): return .set(device: device)
        case ("cmd", 4) where !levels[3].isEmpty: return .verb(String(levels[3]), device: device)
        case ("msg", 5) where levels[3] == "tx":
            return Self.decode(levels[4]).map { .message(namespace: Self.namespacePrefix + $0, device: device) }
        default: return nil
        }
    }

    /// The device whose availability a topic is; nil for another topic.
    func availabilityDevice(_ topic: String) -> String? {
        guard let levels = self.levels(topic), levels.count == 3, levels[0] == "device",
            levels[2] == Resource.availability.rawValue
        else { return nil }
        return Self.decode(levels[1])
    }

    /// The levels of a topic below ``root``.
    private func levels(_ topic: String) -> [Substring]? {
        guard topic.utf8.count <= Self.maximumLength,
            let rest = Self.below(self.root, topic)
        else { return nil }
        return rest.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// The rest of a topic below a parent, byte by byte; empty for the topic itself, nil for one that is not below it.
    private static func below(_ parent: String, _ topic: String) -> Substring? {
        guard topic.utf8.starts(with: parent.utf8) else { return nil }
        let rest = topic.utf8.dropFirst(parent.utf8.count)
        guard let first = rest.first else { return "" }
        return first == UInt8(ascii: "/") ? Substring(rest.dropFirst()) : nil
    }

    // MARK: Where answers may go

    /// Returns the fault of a topic that a request wants its answer on; nil for none.
    ///
    /// Who may publish a request could have the gateway publish anywhere, with the gateway's own rights. So answers go to
    /// `PREFIX/GATEWAY/rpc-reply/…` of any gateway, and to what the configuration allows elsewhere. Nothing else below the prefix is
    /// taken, where commands and states of all gateways are.
    /// - Parameters:
    ///   - allowed: what the configuration allows beside that.
    ///   - others: prefixes of which nothing is taken, whatever is allowed, such as that of Home Assistant.
    func replyFault(_ topic: String, allowed: [MQTTTopicFilter] = [], others: [String] = []) -> String? {
        if topic.isEmpty { return "is empty" }
        if topic.utf8.count > Self.maximumLength { return "is longer than \(Self.maximumLength) bytes" }
        if topic.hasPrefix("$") { return "begins with $" }
        if topic.unicodeScalars.contains(where: {
            "+#".unicodeScalars.contains($0) || $0.properties.generalCategory == .control
        }) {
            return "has a wildcard or a control character"
        }
        if let rest = Self.below(self.prefix, topic) {
            let levels = rest.split(separator: "/", omittingEmptySubsequences: false)
            guard levels.count >= 3, levels[1] == "rpc-reply", !levels.contains(where: \.isEmpty) else {
                return "is not '\(self.prefix)/GATEWAY/rpc-reply/…', which alone is for answers below '\(self.prefix)'"
            }
            return nil
        }
        if others.contains(where: { Self.below($0, topic) != nil }) { return "is one that others take orders from" }
        return allowed.contains { $0.matches(topic) }
            ? nil : "is neither '\(self.prefix)/GATEWAY/rpc-reply/…' nor one of 'bridges.mqtt.response_topics'"
    }

    // MARK: Spelling

    /// One level of a topic that stands for any text.
    static func encode(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && !"/+#%$".utf8.contains($0) }) { return text }
        var encoded = String.UnicodeScalarView()
        for (index, scalar) in text.unicodeScalars.enumerated() {
            let isControl = scalar.properties.generalCategory == .control
            guard isControl || "/+#%".unicodeScalars.contains(scalar) || (index == 0 && scalar == "$") else {
                encoded.append(scalar)
                continue
            }
            encoded.append(contentsOf: String(scalar).percentEncoded().unicodeScalars)
        }
        return String(encoded)
    }

    /// The text that a level stands for; nil for an empty one, and for one that ``encode(_:)`` would not have made.
    static func decode(_ level: Substring) -> String? {
        guard !level.isEmpty, let text = level.percentDecoded, Self.encode(text).utf8.elementsEqual(level.utf8) else {
            return nil
        }
        return text
    }

    private static func encoded(namespace: String) -> String {
        Self.encode(
            namespace.hasPrefix(Self.namespacePrefix)
                ? String(namespace.dropFirst(Self.namespacePrefix.count)) : namespace)
    }
}
