import CastWire

/// What has an order: one sender talking to one app, and what is not about messages.
enum FlowKey {
    /// Messages between the same ends on the same channel; whatever else a route says does not count.
    case messages(PluginRoute)
    /// Copies, and what else happens.
    case events
    /// The plugin's own life: initialize, start, reload, drain, shutdown.
    case control
    case health
    case clock

    /// True for messages that wait for a verdict.
    var isMessages: Bool { if case .messages = self { true } else { false } }
}

extension FlowKey: Hashable {
    static func == (left: FlowKey, right: FlowKey) -> Bool {
        switch (left, right) {
        case (.messages(let left), .messages(let right)): left.isSameFlow(as: right)
        case (.events, .events), (.control, .control), (.health, .health), (.clock, .clock): true
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .messages(let route):
            hasher.combine(route.connection)
            hasher.combine(route.source)
            hasher.combine(route.destination)
        case .events: hasher.combine(1)
        case .control: hasher.combine(2)
        case .health: hasher.combine(3)
        case .clock: hasher.combine(4)
        }
    }
}
