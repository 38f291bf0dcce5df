package import CastDiscovery
package import CastWire
package import GatewayConfig

/// A choice of the announced devices that are listed. Those of `discovery.static` always are; those that a plugin names are when their
/// name or id is let in, since nothing else is known of them.
package struct DeviceFilter: Hashable, Sendable {
    /// Names or ids of devices that are listed; empty for all.
    package var allow: [Glob]
    /// Names or ids of devices that are not listed, allowed or not.
    package var deny: [Glob]
    /// The criteria that devices have to meet.
    package var criteria: DiscoveryCriteria

    package init(allow: [Glob] = [], deny: [Glob] = [], criteria: DiscoveryCriteria = DiscoveryCriteria()) {
        self.allow = allow
        self.deny = deny
        self.criteria = criteria
    }

    /// True if a device is listed.
    package func accepts(_ device: DiscoveredDevice) -> Bool {
        if device.staticName != nil, device.source == nil { return true }
        return self.allows(device) && (device.source != nil || self.criteria.accepts(device))
    }

    /// True if a device is let in by its name or id.
    func allows(_ device: DiscoveredDevice) -> Bool {
        func matches(_ globs: [Glob]) -> Bool {
            globs.contains { $0.matches(device.friendlyName) || $0.matches(device.id) }
        }
        return (self.allow.isEmpty || matches(self.allow)) && !matches(self.deny)
    }
}

/// The criteria of useful devices: those that have an app, or whose app understands a namespace.
package struct DiscoveryCriteria: Hashable, Sendable {
    /// The apps, the one that is launched first; empty for no demand.
    package var apps: [AppID]
    /// The namespaces of the app that runs; empty for no demand.
    package var namespaces: [Namespace]

    package init(apps: [AppID] = [], namespaces: [Namespace] = []) {
        self.apps = apps
        self.namespaces = namespaces
    }

    /// The subtypes that devices are asked for by.
    package var subtypes: Set<ServiceSubtype> {
        Set(self.apps.compactMap { ServiceSubtype(app: $0) } + self.namespaces.map { ServiceSubtype(namespace: $0) })
    }

    /// True if a device is of use. An app of which nothing is known counts as available: most devices tell only when they are
    /// asked for it, and asking takes a connection.
    package func accepts(_ device: DiscoveredDevice) -> Bool {
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
