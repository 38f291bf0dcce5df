public import CastWire

/// What a handler wants to be asked about.
public struct Claim: Hashable, Sendable {
    /// Which namespaces.
    public var pattern: NamespacePattern
    /// When to be asked.
    public var phase: RoutingPhase
    /// Which ways; most handlers care for what senders say.
    public var directions: Set<MessageDirection>
    /// Only messages of these types; nil means all, also those without a type.
    public var types: Set<String>?
    /// Only messages of these virtual devices; nil means all.
    public var devices: Set<String>?
    /// How long a deferred message may wait; nil means the phase's default of `routing.deadlines`.
    public var deadline: Duration?
    /// Only messages to and from these apps, by their ids; nil means all. Of two claims on one pattern the one with apps is
    /// the more specific.
    public var apps: Set<AppID>?
    /// What happens when the handler fails or is late; nil means `routing.on_failure`.
    public var onFailure: FailurePolicy?

    /// Makes a claim.
    public init(
        _ pattern: NamespacePattern, phase: RoutingPhase = .handle, directions: Set<MessageDirection> = [.toReceiver],
        types: Set<String>? = nil, devices: Set<String>? = nil, apps: Set<AppID>? = nil, deadline: Duration? = nil,
        onFailure: FailurePolicy? = nil
    ) {
        self.pattern = pattern
        self.phase = phase
        self.directions = directions
        self.types = types
        self.devices = devices
        self.apps = apps
        self.deadline = deadline
        self.onFailure = onFailure
    }
}
