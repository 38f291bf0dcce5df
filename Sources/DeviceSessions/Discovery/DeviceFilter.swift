public import GatewayConfig

/// Which of the devices that announce themselves are listed. Those of `discovery.static` always are.
public struct DeviceFilter: Hashable, Sendable {
    /// Names or ids of devices that are listed; empty for all.
    public var allow: [Glob]
    /// Names or ids of devices that are not listed, allowed or not.
    public var deny: [Glob]
    /// What they have to be of use for.
    public var criteria: DiscoveryCriteria

    /// Makes a filter.
    public init(allow: [Glob] = [], deny: [Glob] = [], criteria: DiscoveryCriteria = DiscoveryCriteria()) {
        self.allow = allow
        self.deny = deny
        self.criteria = criteria
    }

    /// Whether a device is listed.
    public func accepts(_ device: DiscoveredDevice) -> Bool {
        guard device.staticName == nil else { return true }
        func matches(_ globs: [Glob]) -> Bool {
            globs.contains { $0.matches(device.friendlyName) || $0.matches(device.id) }
        }
        return (self.allow.isEmpty || matches(self.allow)) && !matches(self.deny) && self.criteria.accepts(device)
    }
}
