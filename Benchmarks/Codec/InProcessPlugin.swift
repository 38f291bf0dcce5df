import CPluginModule
import PluginKit

/// A plugin within the process, behind the boundary that a shared library has: what a hop costs without its system calls.
final class InProcessPlugin {
    private struct Echo: CastPlugin {
        init(_ gateway: PluginGateway) {}

        func handle(_ message: PluginMessage) async throws -> Verdict { .reply(message.payload) }
    }

    private var plugin = cw_plugin()
    /// How many bytes the plugin said.
    private let heard = UnsafeMutablePointer<Int>.allocate(capacity: 1)

    init?() {
        self.heard.initialize(to: 0)
        var host = cw_host()
        host.abi = UInt32(CASTWAY_PLUGIN_ABI)
        host.size = UInt32(MemoryLayout<cw_host>.size)
        host.ctx = UnsafeMutableRawPointer(self.heard)
        host.send = { context, _, length in context?.assumingMemoryBound(to: Int.self).pointee += length }
        self.plugin.abi = host.abi
        self.plugin.size = UInt32(MemoryLayout<cw_plugin>.size)
        guard PluginModule.open(Echo.self, &host, &self.plugin) == CASTWAY_PLUGIN_OK else { return nil }
        for line in [
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":{"min":1,"max":1},"#
                + #""gateway":{"id":"g"},"instance":"echo","config":{}}}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"start","params":{}}"#,
        ] { guard self.say(Array((line + "\n").utf8)) > 0 else { return nil } }
    }

    deinit {
        self.plugin.close?(self.plugin.`self`)
        self.heard.deallocate()
    }

    /// Says lines to the plugin.
    /// - Returns: how many bytes it said meanwhile.
    func say(_ lines: [UInt8]) -> Int {
        self.heard.pointee = 0
        _ = self.plugin.receive?(self.plugin.`self`, lines, lines.count)
        return self.heard.pointee
    }
}
