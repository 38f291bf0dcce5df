/// What a caller has to be allowed for an operation. Raw values are written in configurations and documents.
package enum OperationScope: String, Sendable, Hashable, CaseIterable {
    /// See what there is and what happens.
    case read
    /// Use devices: launch, load, play, volume.
    case control
    /// Send messages of a caller's own to apps, and read those of apps.
    case messages
    /// Set credentials of launches and loads; no caller can read them.
    case credentials
    /// Change the gateway: reload, handlers, plugins, who may do what.
    case admin
}
