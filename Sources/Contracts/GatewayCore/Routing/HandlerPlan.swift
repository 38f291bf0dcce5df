/// Which of the registered handlers are asked, in which order, and within which limits: what `handlers` of `gateway.yaml` says.
public struct HandlerPlan: Sendable, Equatable {
    /// One handler's place in the plan.
    public struct Entry: Sendable, Equatable {
        /// The handler, by ``MessageHandler/name``. One that is not registered has no effect.
        public var name: String
        /// Whether it is asked.
        public var isEnabled: Bool
        /// The virtual devices for which it is asked, by name; nil for all that its claims name.
        public var devices: Set<String>?
        /// The same as it is written, with wildcards: what tells whether the file says something else. Nil when that is ``devices``.
        public var writtenDevices: [String]?
        /// How long it may defer, in place of what its claims say; nil leaves those.
        public var deadline: Duration?
        /// What happens when it fails, in place of what its claims say; nil leaves those.
        public var onFailure: FailurePolicy?
        /// Where the entry is written, as `file:line:column`, for people.
        public var origin: String?

        /// Makes an entry: without further arguments a handler that is asked as it claims.
        public init(
            name: String, isEnabled: Bool = true, devices: Set<String>? = nil, deadline: Duration? = nil,
            onFailure: FailurePolicy? = nil, origin: String? = nil
        ) {
            self.name = name
            self.isEnabled = isEnabled
            self.devices = devices
            self.deadline = deadline
            self.onFailure = onFailure
            self.origin = origin
        }
    }

    /// The handlers in their order, of which one that is not among them is off; nil for every registered handler, in the order
    /// of registration. Of two entries of one name the first counts.
    public var entries: [Entry]?

    /// Makes a plan; without an argument every registered handler is asked.
    public init(entries: [Entry]? = nil) {
        self.entries = entries
    }

    /// What the plan says of a handler, wherever that is written; nil when it is off for want of an entry.
    func setting(of name: String) -> Entry? {
        guard let entries = self.entries else { return Entry(name: name) }
        guard var entry = entries.first(where: { $0.name == name }) else { return nil }
        entry.origin = nil
        // Another virtual device that fits is nothing new that the file says.
        if entry.writtenDevices != nil { entry.devices = nil }
        return entry
    }
}

extension HandlerPlan.Entry {
    /// A handler's claim within the limits of the entry; nil when nothing is left of it.
    func limiting(_ claim: Claim) -> Claim? {
        var claim = claim
        // The plan names virtual devices, so it says nothing of where sessions of the gateway's own are.
        if let devices = self.devices, claim.leg == .sender {
            let left = claim.devices.map(devices.intersection) ?? devices
            guard !left.isEmpty else { return nil }
            claim.devices = left
        }
        claim.deadline = self.deadline ?? claim.deadline
        claim.onFailure = self.onFailure ?? claim.onFailure
        return claim
    }
}

/// A registered handler as people see it: its place, and whether it is asked.
public struct HandlerSummary: Sendable, Equatable {
    /// The handler's name.
    public let name: String
    /// What it claims, within the limits of the plan; empty when nothing is left.
    public let claims: [Claim]
    /// Whether it is asked now.
    public let isEnabled: Bool
    /// Whether that is other than the plan says, by a command.
    public let isSwitched: Bool
    /// The virtual devices that the plan limits it to, by name; nil for no limit.
    public let devices: Set<String>?
    /// Where its entry in the plan is written, as `file:line:column`; nil when it has none, or the plan is the default.
    public let origin: String?
    /// The handlers that it replaces, by name and sorted; empty for most.
    public let replaces: [String]
    /// Its place among all registered handlers, from 1; those that the plan leaves out come last.
    public let position: Int
    /// Whether the plan has an entry of it. True for every handler while the plan is the default.
    public let isListed: Bool
}
