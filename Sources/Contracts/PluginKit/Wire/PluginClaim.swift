import CastWire
public import HandlerKit

/// A ``Claim`` as it is written: as a manifest asks for it, `gateway.yaml` grants it and the wire carries it.
///
/// It says less and keeps more than a claim. Its pattern may be none, so that one claim of a plugin is refused and not its
/// whole answer; lists stand in the order in which they were written; and directions that are not named are the senders' in a
/// grant, but all that is granted in what a plugin wants of its grant.
public struct PluginClaim: Hashable, Sendable {
    /// A namespace, a prefix with `.*`, or `*`.
    public var match: String
    /// As what.
    public var phase: RoutingPhase
    /// Only messages that travel these ways; nil when none are named.
    public var directions: [MessageDirection]?
    /// Whose connections to apps; nil for those of senders.
    public var leg: MessageLeg?
    /// Only messages of these types (`LOAD`); nil for all.
    public var types: [String]?
    /// Only messages that pass these virtual devices, on the leg ``MessageLeg/own`` these real ones; nil for all.
    public var devices: [String]?
    /// Only messages to and from these apps, by their ids; nil for all. A grant has it where the plugin is an app's player.
    public var apps: [String]?

    /// Describes a claim.
    public init(
        match: String, phase: RoutingPhase, directions: [MessageDirection]? = nil,
        leg: MessageLeg? = nil, types: [String]? = nil, devices: [String]? = nil, apps: [String]? = nil
    ) {
        self.match = match
        self.phase = phase
        self.directions = directions
        self.leg = leg
        self.types = types
        self.devices = devices
        self.apps = apps
    }
}

extension PluginClaim {
    /// A claim as it is written on the wire: names in order, both deadline and failure policy left to the operator.
    package init(_ claim: Claim) {
        self.init(
            match: claim.pattern.description, phase: claim.phase,
            directions: claim.directions.sorted { $0.rawValue < $1.rawValue },
            leg: claim.leg == .sender ? nil : claim.leg, types: claim.types?.sorted(),
            devices: claim.devices?.sorted(), apps: claim.apps?.map(\.rawValue).sorted())
    }
}

extension PluginClaim: WireRecord {
    package static let blank = Self(match: "", phase: .observe)

    package static let members: [Member] = [
        .required("match", \.match), .required("phase", \.phase), .optional("directions", \.directions),
        .optional("leg", \.leg), .optional("types", \.types), .optional("devices", \.devices),
        .optional("apps", \.apps),
    ]
}
