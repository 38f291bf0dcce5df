public import CastDiscovery
public import CastWire

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

    /// Whether a device is of use. An app that nobody knows about counts as there: most devices tell only when they are
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
