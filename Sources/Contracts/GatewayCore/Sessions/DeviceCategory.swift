/// Whose devices some are, as `GCKDeviceProvider` has categories: those of Castway's own search are ``cast``, each plugin that names
/// devices has a category of its own, and the gateway's virtual devices are ``virtual``.
public struct DeviceCategory: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    private static let pluginPrefix = "plugin:"

    /// The category's name: `cast`, `virtual` or `plugin:NAME`.
    public let rawValue: String

    /// Makes a category of its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The category of the devices that a plugin names.
    /// - Parameter plugin: the plugin's name in `gateway.yaml`, which has no colon.
    public init(plugin: String) {
        self.init(rawValue: Self.pluginPrefix + plugin)
    }

    /// Cast devices, found by mDNS or named in `gateway.yaml`.
    public static let cast = DeviceCategory(rawValue: "cast")
    /// The gateway's virtual devices.
    public static let virtual = DeviceCategory(rawValue: "virtual")

    /// The plugin whose devices these are; nil for any other category.
    public var plugin: String? {
        guard self.rawValue.hasPrefix(Self.pluginPrefix) else { return nil }
        let name = self.rawValue.dropFirst(Self.pluginPrefix.count)
        return name.isEmpty || name.contains(":") ? nil : String(name)
    }

    /// Whether the name is one that a category can have.
    public var isValid: Bool { self == .cast || self == .virtual || self.plugin != nil }

    /// Divides the unique id of a device, the category and then the device's own id, which may have colons too.
    /// - Returns: nil for what is no unique id.
    public static func divide(uniqueID: String) -> (category: DeviceCategory, id: String)? {
        var start = uniqueID.startIndex
        if uniqueID.hasPrefix(Self.pluginPrefix) {
            start = uniqueID.index(start, offsetBy: Self.pluginPrefix.count)
        }
        guard let colon = uniqueID[start...].firstIndex(of: ":") else { return nil }
        let category = DeviceCategory(rawValue: String(uniqueID[..<colon]))
        guard category.isValid else { return nil }
        return (category, String(uniqueID[uniqueID.index(after: colon)...]))
    }

    /// The category's name.
    public var description: String { self.rawValue }
}
