public import GatewayConfig
import GatewayCore

/// `channels[]`: custom namespaces that Castway answers itself, on all virtual devices or some.
public struct ChannelConfiguration: ConfigObject {
    /// What answers on the namespaces.
    public enum Handler: String, Sendable, CaseIterable {
        /// Sends every message back to where it came from.
        case echo
        /// Sends every message to every sender of the same app.
        case broadcast
    }

    /// The namespace, `urn:x-cast:…`, or all below a prefix, `urn:x-cast:….*`.
    public var namespace: String
    /// The names of the virtual devices, which may have wildcards; nil for all.
    public var devices: [Glob]?
    /// What answers.
    public var handler: Handler

    /// The keys of `channels[]`.
    public static let keys: [Key] = [
        .required(
            "namespace", \.namespace, .namespacePattern, "The namespace, or a prefix that ends in `.*`",
            example: "\"urn:x-cast:com.example.echo\""),
        .optional(
            "devices", \.devices, .oneOrMore(of: .glob(maximumBytes: 32)).namingGroups(.patterns),
            "The virtual devices and groups on which it answers, by name; all without it. Several channels may share a namespace on "
                + "different devices",
            example: "[lobby, room-*]"),
        .required(
            "handler", \.handler, .word,
            "`echo` sends every message back, `broadcast` sends it to every sender of the app", example: "echo"),
    ]

    /// The name under which what answers is registered as a handler. Channels that share a namespace are one handler.
    public var handlerName: String { "channel \(self.namespace)" }

    /// Makes a configuration from its parts.
    public init(namespace: String, devices: [Glob]? = nil, handler: Handler) {
        self.namespace = namespace
        self.devices = devices
        self.handler = handler
    }

    /// What holds before anything is read.
    public init(blank: ConfigBlank) { self.init(namespace: "", handler: .echo) }

    /// The virtual devices on which the channel answers, by name; nil for all.
    /// - Parameter names: those that there are, for wildcards.
    func claimedDevices(among names: [String]) -> Set<String>? {
        self.devices.map { devices in
            Set(devices.filter { !$0.hasWildcards }.map(\.pattern))
                .union(names.filter { name in devices.contains { $0.matches(name) } })
        }
    }
}

extension ChannelConfiguration {
    /// A channel of a file that further ones are compared with.
    private struct Place {
        let namespace: String
        /// nil for all.
        let devices: Set<String>?
        let location: ConfigLocation

        func overlaps(_ other: Self) -> Bool {
            guard self.namespace == other.namespace else { return false }
            guard let own = self.devices, let others = other.devices else { return true }
            return !own.isDisjoint(with: others)
        }

        /// On which devices both answer, for people.
        func shared(with other: Self) -> String {
            let shared: Set<String> =
                switch (self.devices, other.devices) {
                case (nil, nil): []
                case (let own?, nil): own
                case (nil, let others?): others
                case (let own?, let others?): own.intersection(others)
                }
            guard !shared.isEmpty else { return "" }
            return " on \(shared.sorted().prefix(6).joined(separator: ", "))\(shared.count > 6 ? ", …" : "")"
        }
    }

    /// What Castway's own namespaces begin with.
    private static let castPrefix = "urn:x-cast:com.google.cast."

    /// Adds what is wrong with the channels of a file: namespaces of the Cast protocol, unknown devices, and channels that
    /// share a namespace on a device.
    ///
    /// - Parameters:
    ///   - channels: The checked elements of `channels`.
    ///   - owned: Namespaces that have an owner already, with who it is, for people.
    ///   - virtualDevices: The names of all virtual devices; nil when they are not known for sure.
    ///   - groups: The names of their groups, whose members stand in their place by now.
    ///   - problems: Receives what is wrong.
    public static func check(
        _ channels: [ConfigSection], owned: [String: String], virtualDevices: [String]?, groups: [String] = [],
        problems: inout ConfigProblems
    ) {
        var earlier: [Place] = []
        for channel in channels {
            Self.checkNamespace(channel, owned, &problems)
            let globs = channel.value("devices").map { value in (value.list ?? [value]).filter(\.isValid) }
            for glob in globs ?? [] {
                guard let name = glob.string, let virtualDevices,
                    !virtualDevices.contains(where: Glob(name).matches)
                else { continue }
                problems.addUndefined(
                    name, what: "virtual device", at: glob.location, known: virtualDevices + groups,
                    place: "virtual_devices")
            }
            guard channel.isValid("namespace"), globs == nil || virtualDevices != nil else { continue }
            let named = Self(
                namespace: channel.string("namespace"), devices: globs.map { $0.compactMap(\.string).map { Glob($0) } },
                handler: .echo)
            let place = Place(
                namespace: named.namespace, devices: named.claimedDevices(among: virtualDevices ?? []),
                location: channel.location("namespace"))
            if let first = earlier.first(where: place.overlaps) {
                problems.add(
                    .duplicateName, at: place.location,
                    "namespace '\(place.namespace)' is used twice in 'channels'\(place.shared(with: first))",
                    hint: "first at \(first.location)")
            }
            earlier.append(place)
        }
    }

    private static func checkNamespace(
        _ channel: ConfigSection, _ owned: [String: String], _ problems: inout ConfigProblems
    ) {
        let location = channel.location("namespace")
        let namespace = channel.string("namespace")
        problems.addIfReserved(namespace, at: location)
        guard channel.isValid("namespace") else { return }
        let hint = "use a namespace of your own, such as urn:x-cast:com.example.echo"
        if let owner = owned[namespace] {
            problems.add(
                .claimConflict, at: location, "'\(namespace)' is no custom namespace: \(owner) handles it", hint: hint)
        }
        guard case .prefix(let prefix) = NamespacePattern(namespace), !prefix.hasPrefix(Self.transportPrefix),
            prefix.hasPrefix(Self.castPrefix) || Self.castPrefix.hasPrefix(prefix)
        else { return }
        problems.add(
            .claimConflict, at: location, "'\(namespace)' takes in namespaces of the Cast protocol itself", hint: hint)
    }

    /// Patterns that begin so are reported as reserved.
    private static let transportPrefix = "urn:x-cast:com.google.cast.tp."
}
