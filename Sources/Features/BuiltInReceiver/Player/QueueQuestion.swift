package import CastWire

/// A question of a player to the provider of its queue.
package struct QueueQuestion: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The queue around what a sender loads.
        case initialize
        /// The items after the last one.
        case nextItems = "next_items"
        /// The items before the first one.
        case previousItems = "previous_items"
        /// Items that a sender wants to see.
        case fetchItems = "fetch_items"
        /// The items behind the current one, mixed or in order again.
        case shuffle
    }

    package var kind: Kind
    /// The details: `request` (a LOAD), `itemId`, `item`, `nextCount`, `prevCount`, `shuffle`.
    package var details: JSONObject
    /// The name of the virtual device.
    package var device = ""
    /// The app, and its session.
    package var app = ""
    /// See ``app``.
    package var session = ""

    init(_ kind: Kind, _ details: JSONObject) {
        self.kind = kind
        self.details = details
    }
}

/// Answers what players ask about their queues.
package protocol QueueProviders: Sendable {
    /// Asks a provider.
    /// - Parameters:
    ///   - plugin: the name of the provider's instance.
    ///   - answered: called once, on any thread, with the answer; nil when there was none in time.
    func ask(
        _ question: QueueQuestion, of plugin: String, within time: Duration,
        answered: @escaping @Sendable (JSONObject?) -> Void)
}
