public import CastWire

/// Which messages a handler is asked about, when, and what happens if it fails.
///
/// A handler in the gateway states its claims in code. What a plugin is asked about is written in its manifest, granted in
/// `gateway.yaml`, and becomes the same claims.
public struct Claim: Hashable, Sendable {
    /// The namespaces.
    public var pattern: NamespacePattern
    /// When the handler is asked.
    public var phase: RoutingPhase
    /// The directions; most handlers need what senders say alone.
    public var directions: Set<MessageDirection>
    /// Whose connections to apps the messages pass. A claim is about one leg, so what was claimed for senders is never asked about
    /// the gateway's own sessions.
    public var leg: MessageLeg
    /// The message types; nil for all, also messages without a type.
    public var types: Set<String>?
    /// The virtual devices by name, on the leg ``MessageLeg/own`` the real ones; nil for all.
    public var devices: Set<String>?
    /// How long a deferred message may wait; nil for the phase's default of `routing.deadlines`.
    public var deadline: Duration?
    /// The apps that a message goes to or comes from, by their ids; nil for all. Of two claims on one pattern the one with
    /// apps is the more specific.
    public var apps: Set<AppID>?
    /// What happens when the handler fails or is late; nil for `routing.on_failure`.
    public var onFailure: FailurePolicy?
    /// The handler that this claim comes before, by its name: an equal claim of that handler is no conflict, and it decides when
    /// the handler of this claim passes, or fails with ``FailurePolicy/open``.
    public var replaces: String?

    /// Makes a claim; without further arguments on everything that senders say in the namespaces, as their owner.
    public init(
        _ pattern: NamespacePattern, phase: RoutingPhase = .handle, directions: Set<MessageDirection> = [.toReceiver],
        leg: MessageLeg = .sender, types: Set<String>? = nil, devices: Set<String>? = nil, apps: Set<AppID>? = nil,
        deadline: Duration? = nil,
        onFailure: FailurePolicy? = nil, replaces: String? = nil
    ) {
        self.pattern = pattern
        self.phase = phase
        self.directions = directions
        self.leg = leg
        self.types = types
        self.devices = devices
        self.apps = apps
        self.deadline = deadline
        self.onFailure = onFailure
        self.replaces = replaces
    }
}

/// When a handler is asked about a message. Written as the raw value in `gateway.yaml` and on the plugin wire.
public enum RoutingPhase: String, Sendable, Hashable, CaseIterable {
    /// Before the owner: every matching handler, in order; may pass, rewrite, reply, reject or drop.
    case filter
    /// As the owner: the most specific claim first; may reply, forward, take, drop, reject, defer, or pass to the next
    /// candidate.
    case handle
    /// Afterwards: every matching handler receives a copy, and the router does not wait for it.
    case observe
}

/// The direction in which a message travels. Written as the raw value in `gateway.yaml` and on the plugin wire.
public enum MessageDirection: String, Sendable, Hashable, CaseIterable {
    /// From a sender to the virtual device's target.
    case toReceiver = "to_receiver"
    /// From the virtual device's target to one sender or all.
    case toSender = "to_sender"
}

/// Whose connection to an app a message passes. Written as the raw value in `gateway.yaml` and on the plugin wire.
public enum MessageLeg: String, Sendable, Hashable, CaseIterable {
    /// A sender's, by a virtual device.
    case sender
    /// The gateway's own, by its session with a real device: `to_receiver` is what the gateway says to the app, `to_sender` what
    /// the app says to the gateway.
    case own
}

/// What becomes of a message when the handler that was asked fails or is late: the values of `on_failure`.
public enum FailurePolicy: String, Sendable, Hashable, CaseIterable {
    /// As if the handler had passed.
    case open
    /// The message is rejected.
    case closed
}
