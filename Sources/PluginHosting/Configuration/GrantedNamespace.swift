public import GatewayCore
public import PluginKit

/// Messages that a plugin is asked about, and how long it may take for one.
public struct GrantedNamespace: Sendable, Hashable {
    /// Which messages, and as what.
    public var claim: PluginClaim
    /// How long it may take; nil for the plugin's own deadline of the phase.
    public var deadline: Duration?
    /// What happens when it fails; nil for the plugin's own policy.
    public var onFailure: FailurePolicy?

    /// Grants messages.
    public init(_ claim: PluginClaim, deadline: Duration? = nil, onFailure: FailurePolicy? = nil) {
        self.claim = claim
        self.deadline = deadline
        self.onFailure = onFailure
    }
}
