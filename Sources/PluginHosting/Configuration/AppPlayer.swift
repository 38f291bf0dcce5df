/// A plugin that is the player of an app: it owns the media namespace of that app on that virtual device.
public struct AppPlayer: Sendable, Hashable {
    /// The virtual device's name.
    public var device: String
    /// The app's id.
    public var app: String
    /// The name of the plugin's instance.
    public var plugin: String

    /// Names a player.
    public init(device: String, app: String, plugin: String) {
        self.device = device
        self.app = app
        self.plugin = plugin
    }
}
