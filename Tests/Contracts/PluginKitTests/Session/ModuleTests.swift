import CPluginModule
import CastWire
import PluginKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ModuleTests {
    private final class Heard: Sendable {
        let text = Mutex("")
    }

    private func host(_ heard: Heard) -> cw_host {
        cw_host(
            abi: UInt32(CASTWAY_PLUGIN_ABI), size: UInt32(MemoryLayout<cw_host>.size),
            ctx: Unmanaged.passUnretained(heard).toOpaque(),
            send: { context, bytes, length in
                guard let context else { return }
                let text = String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
                Unmanaged<Heard>.fromOpaque(context).takeUnretainedValue().text.withLock { $0 += text }
            }, instance: nil)
    }

    private var plugin: cw_plugin {
        var plugin = cw_plugin()
        plugin.abi = UInt32(CASTWAY_PLUGIN_ABI)
        plugin.size = UInt32(MemoryLayout<cw_plugin>.size)
        return plugin
    }

    private func say(_ text: String, to plugin: cw_plugin) -> Int32? {
        let bytes = Array(text.utf8)
        return plugin.receive?(plugin.`self`, bytes, bytes.count)
    }

    private let begin =
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":{"min":1,"max":1},"gateway":{"id":"g"},"#
        + #""instance":"x","plugin":{"id":"com.example.scripted","version":"1"},"config":{"greeting":"HI"}}}"# + "\n"
        + #"{"jsonrpc":"2.0","id":2,"method":"start","params":{}}"# + "\n"

    private let greet =
        #"{"jsonrpc":"2.0","id":3,"method":"message","params":{"phase":"handle","deadlineMs":9,"message":{"id":"m","#
        + #""device":"d","direction":"to_receiver","source":"a","destination":"b","namespace":"n","#
        + #""payload":"{\"type\":\"GREET\"}","type":"GREET"}}}"# + "\n"

    @Test func theSameHandlerRunsWithinTheProcess() throws {
        let heard = Heard()
        var host = self.host(heard)
        var plugin = self.plugin
        #expect(PluginModule.open(ScriptedPlugin.self, &host, &plugin) == CASTWAY_PLUGIN_OK)
        #expect(plugin.abi == 1)
        #expect(plugin.build_id.map { String(cString: $0) } == "PluginKit, protocol 1")
        // Bytes may be cut anywhere.
        for half in [self.begin.prefix(100), self.begin.dropFirst(100)] {
            #expect(self.say(String(half), to: plugin) == CASTWAY_PLUGIN_OK)
        }
        #expect(heard.text.withLock { $0 }.contains(#""plugin":{"id":"com.example.scripted","version":"1"}"#))
        heard.text.withLock { $0 = "" }
        #expect(self.say(self.greet, to: plugin) == CASTWAY_PLUGIN_OK)
        #expect(
            heard.text.withLock { $0 }
                == #"{"jsonrpc":"2.0","id":3,"result":{"disposition":"reply","payload":"{\"type\":\"HI\"}"}}"# + "\n")
        plugin.close?(plugin.`self`)
    }

    @Test func instancesOfOneLibraryAreApart() throws {
        let (first, second) = (Heard(), Heard())
        var (firstHost, secondHost) = (self.host(first), self.host(second))
        var (one, two) = (self.plugin, self.plugin)
        #expect(PluginModule.open(ScriptedPlugin.self, &firstHost, &one) == CASTWAY_PLUGIN_OK)
        #expect(PluginModule.open(ScriptedPlugin.self, &secondHost, &two) == CASTWAY_PLUGIN_OK)
        #expect(self.say(self.begin, to: one) == CASTWAY_PLUGIN_OK)
        #expect(second.text.withLock { $0.isEmpty })
        one.close?(one.`self`)
        #expect(self.say(self.begin, to: two) == CASTWAY_PLUGIN_OK)
        #expect(!second.text.withLock { $0.isEmpty })
        two.close?(two.`self`)
    }

    @Test func anotherVersionIsRefusedAndNothingIsTouched() {
        let heard = Heard()
        for change in [
            { (host: inout cw_host, plugin: inout cw_plugin) in host.abi = 2 },
            { host, plugin in plugin.abi = 2 }, { host, plugin in host.size = 8 },
            { host, plugin in plugin.size = 8 },
        ] as [(inout cw_host, inout cw_plugin) -> Void] {
            var host = self.host(heard)
            var plugin = self.plugin
            change(&host, &plugin)
            #expect(PluginModule.open(ScriptedPlugin.self, &host, &plugin) == CASTWAY_PLUGIN_WRONG_ABI)
            #expect(plugin.receive == nil && plugin.`self` == nil)
        }
        #expect(PluginModule.open(ScriptedPlugin.self, nil, nil) == CASTWAY_PLUGIN_FAILED)
    }

    @Test func aPluginThatIsOverSaysSo() {
        let heard = Heard()
        var host = self.host(heard)
        var plugin = self.plugin
        #expect(PluginModule.open(ScriptedPlugin.self, &host, &plugin) == CASTWAY_PLUGIN_OK)
        let bad = self.begin.replacing(#""greeting":"HI""#, with: "")
        #expect(self.say(bad, to: plugin) == CASTWAY_PLUGIN_FAILED)
        #expect(heard.text.withLock { $0 }.contains("-32010"))
        plugin.close?(plugin.`self`)
    }

    @Test func nothingIsSaidOnceItIsClosed() throws {
        let heard = Heard()
        var host = self.host(heard)
        var plugin = self.plugin
        #expect(PluginModule.open(ScriptedPlugin.self, &host, &plugin) == CASTWAY_PLUGIN_OK)
        #expect(self.say(self.begin, to: plugin) == CASTWAY_PLUGIN_OK)
        // Something that waits, and is woken by the end.
        #expect(self.say(self.greet.replacing("GREET", with: "ASK"), to: plugin) == CASTWAY_PLUGIN_OK)
        plugin.close?(plugin.`self`)
        let said = heard.text.withLock { $0 }
        #expect(said.contains("gateway.send"))
        #expect(!said.contains(#""id":3"#))
    }
}
