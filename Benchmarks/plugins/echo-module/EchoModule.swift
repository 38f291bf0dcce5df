import BenchEcho
import PluginKit

/// ``Echo`` as a library.
@c(castway_plugin_open_v1)
public func open(_ host: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer?) -> Int32 {
    PluginModule.open(Echo.self, host, out)
}
