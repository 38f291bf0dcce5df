import CastDiscovery
package import CastIdentity
import DeviceListening
package import DeviceSessions
package import GatewayConfig

/// `discovery.virtual_devices`: a virtual device for each device that discovery finds.
package struct DeviceTemplateConfiguration: ConfigObject {
    /// `at_most`: how many devices get one, those included that are remembered and away; 1 to 1000.
    package var atMost: Int
    /// `at_most_per_host`: how many of them may be at one address; 1 to 1000.
    package var atMostPerHost = 4
    /// `match`: which devices get one.
    package var match = DeviceMatchConfiguration()
    /// `listen`: the address on which they all listen.
    package var listen = "0.0.0.0"
    /// `ports`: the ports for senders, one for each, as `first-last`.
    package var ports: String
    /// `friendly_name`: what senders show; `{name}`, `{model}` and `{id}` are the device's.
    package var friendlyName = "{name} (Castway)"
    /// `grace`: how long a device may be gone before its virtual device is withdrawn.
    package var grace = Duration.seconds(30)
    /// `senders.allow`: the addresses from which senders may connect; empty means everyone.
    package var allowedSenders: [AddressRange] = []
    /// `apps`: the apps that senders may use; nil for all of the device.
    package var apps: [String]?
    /// `tls_key`: the kind of key of the TLS layer.
    package var tlsKey = TLSKeyKind.p256

    /// The keys of `discovery.virtual_devices`.
    package static let keys: [Key] = [
        .required(
            "at_most", \.atMost, .integer(1...1000),
            "How many devices get one, those included that are remembered and away; further ones are refused",
            example: "30"),
        Key(
            "at_most_per_host", \.atMostPerHost, .integer(1...1000),
            "How many of them may be at one address, so that one machine that announces inventions does not take all places"
        ),
        Key("match", \.match, .object, "Which of the devices that are found get one"),
        Key(
            "listen", \.listen, .text(maximumBytes: 64),
            "The IP address on which all of them listen; `0.0.0.0` is every IPv4 address", example: "10.20.0.1"),
        .required(
            "ports", \.ports, .text(allowed: "0-9-", length: 3...11),
            "The ports for senders, at least `at_most` of them; a device keeps its port", example: "8100-8199"),
        Key(
            "friendly_name", \.friendlyName, .text(maximumBytes: 200),
            "What senders show: `{name}`, `{model}` and `{id}` are the device's"),
        Key(
            "grace", \.grace, .duration(.zero ... .seconds(3600)),
            "How long a device may be gone before its virtual device is withdrawn; its senders stay all the while"),
        .section(
            "senders", "Who may use them",
            [
                .selection(
                    "allow", \.allowedSenders, .oneOrMore(of: .addressRange),
                    "The addresses from which senders may connect; without it everyone may", example: "[10.20.0.0/16]",
                    hint: SenderRules.everyone)
            ]),
        .optional(
            "apps", \.apps, .list(of: .appID), "The apps that senders may use; without it all that the device has",
            example: "[CC1AD845]"),
        Key("tls_key", \.tlsKey, .word, "The key of the TLS layer, as of other virtual devices"),
    ]

    /// Makes a template; what is not given has the default of `gateway.yaml`.
    package init(atMost: Int, ports: ClosedRange<Int>, _ change: (inout Self) -> Void = { _ in }) {
        self.atMost = atMost
        self.ports = "\(ports.lowerBound)-\(ports.upperBound)"
        change(&self)
    }

    /// What holds before anything is read.
    package init(blank: ConfigBlank) {
        self.init(atMost: 1, ports: 1...1)
    }

    /// The ports as a range; nil when the text is none, which is an error of the file.
    package var portRange: ClosedRange<Int>? { Self.portRange(self.ports) }

    /// Reads `first-last`; nil for anything else.
    package static func portRange(_ text: String) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ (1...5).contains($0.utf8.count) && $0.first != "0" }),
            let first = Int(ends[0]), let last = Int(ends[1]), first <= last, last <= 65_535
        else { return nil }
        return first...last
    }

    // MARK: Checks

    /// Adds ports that are no range or too few, an address that is none, and placeholders without a meaning.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        if let text = section.optionalString("ports") {
            if let ports = Self.portRange(text) {
                self.checkThatDevicesFit(in: ports, section, problems: &problems)
            } else {
                problems.add(
                    .malformedValue, at: section.location("ports"),
                    "'\(section.path("ports"))' must be a range of ports from 1 to 65535, not '\(text)'",
                    hint: "write first-last, such as 8100-8199")
            }
        }
        if let host = section.optionalString("listen"), IPAddress(host) == nil {
            problems.add(
                .malformedValue, at: section.location("listen"),
                "'\(section.path("listen"))' must be an IP address, not '\(host)'",
                hint: "the ports stand in 'ports'; 0.0.0.0 is every IPv4 address")
        }
        guard let name = section.optionalString("friendly_name") else { return }
        for placeholder in NameTemplate(name).unknown {
            problems.add(
                .notAllowed, at: section.location("friendly_name"),
                "'\(section.path("friendly_name"))' has '{\(placeholder)}', which stands for nothing",
                hint: "there are {name}, {model} and {id}")
        }
    }

    private static func checkThatDevicesFit(
        in ports: ClosedRange<Int>, _ section: ConfigSection, problems: inout ConfigProblems
    ) {
        guard let atMost = section.optionalInteger("at_most"), ports.count < atMost else { return }
        problems.add(
            .inconsistent, at: section.location("ports"),
            "'\(section.path("ports"))' holds \(ports.count) port\(ports.count == 1 ? "" : "s"), and 'at_most' is \(atMost)",
            hint: "every device needs a port of its own: \(ports.lowerBound)-\(ports.lowerBound + atMost - 1)")
    }
}

/// `discovery.virtual_devices.match`: which devices get a virtual device.
package struct DeviceMatchConfiguration: ConfigSettings {
    /// `name`: friendly names or ids; empty for all.
    package var names: [Glob] = []
    /// `not_name`: friendly names or ids of those that get none.
    package var excludedNames: [Glob] = []
    /// `model`: models; empty for all.
    package var models: [Glob] = []
    /// `not_model`: models that get none.
    package var excludedModels: [Glob] = []
    /// `groups`: whether groups of speakers get one too.
    package var includesGroups = false

    /// The keys of `discovery.virtual_devices.match`.
    package static let keys: [Key] = [
        .selection(
            "name", \.names, .oneOrMore(of: .glob(maximumBytes: 200)),
            "Friendly names or ids of devices that get one; all without it", example: "[\"Room *\"]"),
        Key(
            "not_name", \.excludedNames, .oneOrMore(of: .glob(maximumBytes: 200)),
            "Friendly names or ids of devices that get none, whatever else matches", example: "[\"Guest *\"]"),
        .selection(
            "model", \.models, .oneOrMore(of: .glob(maximumBytes: 64)),
            "Models of devices that get one; all without it", example: "[Chromecast*]"),
        Key(
            "not_model", \.excludedModels, .oneOrMore(of: .glob(maximumBytes: 64)),
            "Models of devices that get none, whatever else matches", example: "[\"Google Home*\"]"),
        Key(
            "groups", \.includesGroups, .boolean,
            "Whether groups of speakers get one too; one that was made for a single session never does"),
    ]

    /// Makes a configuration that matches every device but groups.
    package init() {}

    /// Whether a device gets a virtual device.
    package func matches(_ pin: DevicePin.Traits, id: String) -> Bool {
        let capabilities = pin.capabilities
        if capabilities.contains(.dynamicGroup) { return false }
        if capabilities.contains(.multizoneGroup), !self.includesGroups { return false }
        func matches(_ globs: [Glob], _ texts: String...) -> Bool {
            globs.contains { glob in texts.contains(where: glob.matches) }
        }
        return (self.names.isEmpty || matches(self.names, pin.friendlyName, id))
            && (self.models.isEmpty || matches(self.models, pin.model))
            && !matches(self.excludedNames, pin.friendlyName, id) && !matches(self.excludedModels, pin.model)
    }
}

/// A text with `{name}`, `{model}` and `{id}` in it. What is put in is not looked at again.
package struct NameTemplate {
    private enum Part {
        case text(Substring)
        case placeholder(Substring)
    }

    private static let known = ["name", "model", "id"]
    private let parts: [Part]

    package init(_ text: String) {
        var parts: [Part] = []
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else { break }
            parts.append(.text(rest[..<open]))
            parts.append(.placeholder(rest[rest.index(after: open)..<close]))
            rest = rest[rest.index(after: close)...]
        }
        self.parts = parts + [.text(rest)]
    }

    /// The placeholders that stand for nothing.
    package var unknown: [String] {
        self.parts.compactMap { part in
            guard case .placeholder(let name) = part, !Self.known.contains(String(name)) else { return nil }
            return String(name)
        }
    }

    /// The text for a device, within the length of a friendly name.
    package func text(_ pin: DevicePin) -> String {
        let whole = self.parts.map { part in
            switch part {
            case .text(let text): String(text)
            case .placeholder("name"): pin.traits.friendlyName
            case .placeholder("model"): pin.traits.model
            case .placeholder("id"): pin.id.text
            case .placeholder: ""
            }
        }.joined()
        var kept = ""
        for character in whole {
            guard kept.utf8.count + character.utf8.count <= 200 else { break }
            kept.append(character)
        }
        return kept.isEmpty ? pin.name : kept
    }
}
