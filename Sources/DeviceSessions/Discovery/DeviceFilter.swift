public import CastDiscovery
public import CastWire
public import GatewayConfig

/// Which of the devices that announce themselves are listed. Those of `discovery.static` always are; those that a plugin names are when
/// their name or id is let in, since nothing else is known of them.
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
        if device.staticName != nil, device.source == nil { return true }
        return self.allows(device) && (device.source != nil || self.criteria.accepts(device))
    }

    /// Whether a device is let in by its name or id.
    func allows(_ device: DiscoveredDevice) -> Bool {
        func matches(_ globs: [Glob]) -> Bool {
            globs.contains { $0.matches(device.friendlyName) || $0.matches(device.id) }
        }
        return (self.allow.isEmpty || matches(self.allow)) && !matches(self.deny)
    }
}

/// Which devices are of use: those that have an app, or whose app understands a namespace.
public struct DiscoveryCriteria: Hashable, Sendable {
    /// The apps, the one that is launched first; empty for no demand.
    public var apps: [AppID]
    /// The namespaces of the app that runs; empty for no demand.
    public var namespaces: [Namespace]

    /// Makes criteria.
    public init(apps: [AppID] = [], namespaces: [Namespace] = []) {
        self.apps = apps
        self.namespaces = namespaces
    }

    /// What devices are asked for by.
    public var subtypes: Set<ServiceSubtype> {
        Set(self.apps.compactMap { ServiceSubtype(app: $0) } + self.namespaces.map { ServiceSubtype(namespace: $0) })
    }

    /// Whether a device is of use. An app of which nothing is known counts as available: most devices tell only when they are
    /// asked for it, and asking takes a connection.
    public func accepts(_ device: DiscoveredDevice) -> Bool {
        let hasApp =
            self.apps.isEmpty
            || self.apps.contains { app in
                ServiceSubtype(app: app).map(device.subtypes.contains) == true || device.apps[app] != false
            }
        let hasNamespace =
            self.namespaces.isEmpty
            || self.namespaces.contains { device.subtypes.contains(ServiceSubtype(namespace: $0)) }
        return hasApp && hasNamespace
    }
}
