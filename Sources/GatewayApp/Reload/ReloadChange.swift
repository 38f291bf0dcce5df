public import GatewayConfig

/// One key that differs between two configurations, and what its change does.
public struct ReloadChange: Sendable, Hashable, CustomStringConvertible {
    /// The key, with the names of devices in it: `virtual_devices.lobby.listen`.
    public let path: String
    /// What the change does.
    public let reload: ReloadClass
    /// What else there is to know: `added`, `removed`, or what becomes of senders.
    public internal(set) var note: String?

    /// The change as it is printed: `virtual_devices.lobby.listen (listener)`.
    public var description: String {
        "\(self.path) (\(self.reload.rawValue)\(self.note.map { ", \($0)" } ?? ""))"
    }
}
