/// The things that a plugin gives to the gateway beside handlers and operations, where `gateway.yaml` says so.
package enum PluginProvision: String, Sendable, Hashable, CaseIterable {
    /// The items of queues of apps: the app's `queue.provider` names it.
    case queue
    /// Cast devices that it finds by a way of its own: `grant.provides` has it.
    case devices
    /// Pictures of media and apps: `pictures.source` names it.
    case picture
}
