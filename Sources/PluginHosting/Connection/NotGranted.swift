package import PluginKit

/// Something that a plugin wants and its grant does not cover.
package struct NotGranted: Error, Hashable {
    /// What, such as `the namespace 'urn:x-cast:com.example.quiz'`.
    package let what: String

    init(_ what: String) { self.what = what }

    /// As the plugin is told.
    package var error: PluginRPCError { PluginRPCError(.notGranted, "not granted: \(self.what)") }
}
