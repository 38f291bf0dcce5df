public import CastWire

/// What a player asks the provider of its queue.
public struct QueueQuestion: Sendable, Hashable {
    /// What is wanted.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The queue around what a sender loads.
        case initialize
        /// What follows the last item.
        case nextItems = "next_items"
        /// What comes before the first item.
        case previousItems = "previous_items"
        /// Items that a sender wants to see.
        case fetchItems = "fetch_items"
        /// The items behind the current one, mixed or in order again.
        case shuffle
    }

    /// What is wanted.
    public var kind: Kind
    /// What belongs to it: `request` (a LOAD), `itemId`, `item`, `nextCount`, `prevCount`, `shuffle`.
    public var details: JSONObject
    /// The name of the virtual device.
    public var device = ""
    /// The app, and its session.
    public var app = ""
    /// See ``app``.
    public var session = ""

    init(_ kind: Kind, _ details: JSONObject) {
        self.kind = kind
        self.details = details
    }
}

/// Answers what players ask about their queues.
public protocol QueueProviders: Sendable {
    /// Asks a provider.
    /// - Parameters:
    ///   - plugin: the name of the provider's instance.
    ///   - time: how long it may take.
    ///   - answered: called once, on any thread, with the answer; nil when there was none in time.
    func ask(
        _ question: QueueQuestion, of plugin: String, within time: Duration,
        answered: @escaping @Sendable (JSONObject?) -> Void)
}
