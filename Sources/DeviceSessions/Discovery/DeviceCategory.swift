/// Whose devices they are: those of Castway's own discovery are ``cast``; other providers name their own.
public struct DeviceCategory: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The category's name.
    public let rawValue: String

    /// Makes a category of its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Cast devices, found by mDNS or named in `gateway.yaml`.
    public static let cast = DeviceCategory(rawValue: "cast")

    /// The category's name.
    public var description: String { self.rawValue }
}
