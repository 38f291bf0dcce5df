import CPluginModule
import Foundation
import NIOCore
import PluginKit
import Synchronization
import Testing

/// The library that SwiftPM builds, loaded as the gateway loads it.
@Suite(.timeLimit(.minutes(1))) struct QuizModuleTests {
    private final class Heard: Sendable {
        let text = Mutex("")
    }

    private static var library: String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "libQuizModule.so").path
    }

    @Test func theSameSourceRunsWithinAnotherProcess() throws {
        let library = try #require(dlopen(Self.library, RTLD_NOW | RTLD_LOCAL), "\(String(cString: dlerror()))")
        let symbol = try #require(dlsym(library, "castway_plugin_open_v1"))
        let open = unsafeBitCast(symbol, to: castway_plugin_open_function.self)
        let heard = Heard()
        var host = cw_host(
            abi: UInt32(CASTWAY_PLUGIN_ABI), size: UInt32(MemoryLayout<cw_host>.size),
            ctx: Unmanaged.passUnretained(heard).toOpaque(),
            send: { context, bytes, length in
                guard let context else { return }
                let text = String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
                Unmanaged<Heard>.fromOpaque(context).takeUnretainedValue().text.withLock { $0 += text }
            }, instance: nil)
        var plugin = cw_plugin()
        plugin.abi = UInt32(CASTWAY_PLUGIN_ABI)
        plugin.size = UInt32(MemoryLayout<cw_plugin>.size)
        #expect(open(&host, &plugin) == CASTWAY_PLUGIN_OK)
        var lines = ByteBuffer()
        GatewayLine.initialize(
            1,
            InitializeRequest(
                gateway: GatewayIdentity(id: "g", name: "", version: ""),
                plugin: PluginIdentity(id: "quiz", version: "1.0.0"), instance: "quiz",
                config: ["questions": [["text": "?", "choices": ["a", "b"], "answer": "c"]]])
        ).write(to: &lines)
        let bytes = Array(lines.readableBytesView)
        #expect(plugin.receive?(plugin.`self`, bytes, bytes.count) == CASTWAY_PLUGIN_FAILED)
        #expect(heard.text.withLock { $0 }.contains(#""path":"/questions/0/answer""#))
        plugin.close?(plugin.`self`)
    }
}
