import PluginKit
import Quiz

/// The plugin as a library within the gateway.
@c(castway_plugin_open_v1)
public func openQuiz(_ host: UnsafeRawPointer?, _ out: UnsafeMutableRawPointer?) -> Int32 {
    PluginModule.open(Quiz.self, host, out)
}
