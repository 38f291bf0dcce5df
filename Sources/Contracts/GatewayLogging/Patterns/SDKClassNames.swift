import GatewayConfig

/// Names of classes of the Cast SDKs, and of their guides, which stand for the components of the gateway that do the same. They can be
/// written wherever a component can.
package enum SDKClassNames {
    package static let table: [(name: String, components: [String])] = [
        ("GCKCastChannel", ["DeviceSession", "Handlers"]),
        ("GCKCastContext", ["Gateway"]),
        ("GCKCastSession", ["DeviceSession"]),
        ("GCKDevice", ["DeviceSession", "Discovery"]),
        ("GCKDeviceManager", ["DeviceSession"]),
        ("GCKDeviceProvider", ["Discovery"]),
        ("GCKDeviceScanner", ["Discovery"]),
        ("GCKDiscoveryManager", ["Discovery"]),
        ("GCKGenericChannel", ["Handlers", "Bridges"]),
        ("GCKLaunchOptions", ["DeviceSession", "CastingLog"]),
        ("GCKMediaControlChannel", ["DeviceSession", "CastingLog"]),
        ("GCKRemoteMediaClient", ["DeviceSession", "CastingLog"]),
        ("GCKRequest", ["DeviceSession", "API"]),
        ("GCKSession", ["DeviceSession"]),
        ("GCKSessionManager", ["DeviceSession"]),
        ("GCKUICastButton", ["API", "Admin"]),
        ("GCKUICastContainerViewController", ["API"]),
        ("GCKUIImageCache", ["API"]),
        ("GCKUIMediaController", ["API", "CastingLog"]),
        ("NSMutableDictionary", ["VirtualDevice"]),
    ]

    /// The classes that stand for a component.
    package static func names(of component: String) -> [String] {
        self.table.filter { $0.components.contains(component) }.map(\.name)
    }
}

extension Glob {
    /// Whether a component is meant: by its own name, or by that of a class of the SDKs. Patterns reach those names only when they begin
    /// as they do, so that `G*` is the gateway alone.
    func means(component: String) -> Bool {
        if self.matches(component) { return true }
        guard self.pattern.hasPrefix("GCK") || self.pattern.hasPrefix("NSM") else { return false }
        return SDKClassNames.names(of: component).contains(where: self.matches)
    }
}
