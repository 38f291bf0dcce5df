import PluginKit
import WatchParty

/// The plugin as a library within the gateway.
@c(castway_plugin_open_v1)
public func openWatchParty(_ host: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer?) -> Int32 {
    PluginModule.open(WatchParty.self, host, out)
}
