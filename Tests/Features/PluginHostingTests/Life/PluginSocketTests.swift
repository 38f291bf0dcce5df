import CastWire
import CastwayTestSupport
import Foundation
import GatewayCore
import Testing

@testable import PluginHosting

/// Plugins that others start.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PluginSocketTests {
    /// Connects, and becomes the actor with the socket in the place of its input and output.
    private static let connect = """
        import os, socket, sys
        wire = socket.socket(socket.AF_UNIX)
        wire.connect(sys.argv[1])
        os.dup2(wire.fileno(), 0)
        os.dup2(wire.fileno(), 1)
        os.execv(sys.executable, [sys.executable, "-u", sys.argv[2]])
        """

    private static func start(_ bench: PluginBench) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            "-c", Self.connect, bench.folder.file("state/plugins/actor.sock"), bench.folder.file("test.actor/actor.py"),
        ]
        try process.run()
        return process
    }

    @Test func aProcessConnectsAndComesBack() async throws {
        try await PluginBench.run {
            $0.kind = .socket
        } body: { bench in
            _ = await bench.logged("Waiting for the plugin to connect")
            var status = stat()
            #expect(stat(bench.folder.file("state/plugins/actor.sock"), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(bench.service.pluginState == .starting)
            var process = try Self.start(bench)
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"ECHO","requestId":1}"#).int("requestId") == 1)
            #expect(await bench.service.status().processID == nil)
            try await bench.send(#"{"type":"CRASH","requestId":2}"#)
            #expect(await bench.answer().string("reason") == "APP_ERROR")
            process.waitUntilExit()
            let crash = await bench.change { if case .crashed = $0 { true } else { false } }
            #expect(crash == .crashed(reason: "its connection was closed", lines: []))
            // After its pause it is waited for again.
            while FileManager.default.fileExists(atPath: bench.folder.file("state/plugins/actor.sock")) == false {
                await Task.yield()
            }
            process = try Self.start(bench)
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"ECHO","requestId":3}"#).int("requestId") == 3)
        }
    }

    @Test func nobodyNeedsToCome() async throws {
        try await PluginBench.run {
            $0.kind = .socket
        } body: { bench in
            _ = await bench.logged("Waiting for the plugin to connect")
            try await bench.send(#"{"type":"ECHO","requestId":1}"#)
            #expect(await bench.answer().string("reason") == "APP_ERROR")
        }
    }

    /// Two bytes more than can be bound, though Linux would take them.
    @Test func aPathThatIsTooLongIsSaid() async throws {
        try await PluginBench.run { instance in
            instance.kind = .socket
            let state = instance.folder.replacing("/test.actor", with: "/state/plugins/")
            instance.name = String(repeating: "n", count: max(1, 105 - ".sock".count - state.utf8.count))
        } body: { bench in
            guard case .stopped(let reason) = await bench.change({ if case .stopped = $0 { true } else { false } })
            else { return }
            #expect(reason.hasPrefix("the path of its socket has more than 103 bytes: \(bench.folder.path)/state"))
        }
    }

    @Test func anotherUserIsNeededWhenOneIsNamed() async throws {
        try await PluginBench.run {
            $0.kind = .socket
            $0.user = "no-such-user"
        } body: { bench in
            let stopped = await bench.change { if case .stopped = $0 { true } else { false } }
            #expect(stopped == .stopped(reason: "there is no user 'no-such-user'; it is tried again after a reload"))
        }
    }

    @Test(arguments: [false, true]) func whoeverIsCancelledDoesNotWaitForIt(_ isConnected: Bool) async throws {
        var process: Process?
        try await PluginBench.run(isCancelled: true) {
            $0.kind = .socket
        } body: { bench in
            _ = await bench.logged("Waiting for the plugin to connect")
            guard isConnected else { return }
            process = try Self.start(bench)
            try await bench.ready()
        }
        process?.waitUntilExit()
    }
}
