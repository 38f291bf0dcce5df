import CastWire
import CastwayTestSupport
import Foundation
import GatewayCore
import GatewayOperations
import Glibc
import PluginKit
import Testing

@testable import PluginHosting

/// Plugins in the gateway's own process: libraries in C, since bytes are all that crosses the border.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PluginModuleTests {
    private static let source = """
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include "castway_plugin.h"
        static int32_t receive(void *self, const uint8_t *lines, size_t length) {
            const cw_host *host = self;
            char *text = strndup((const char *)lines, length);
            int32_t status = 0;
            for (char *line = strtok(text, "\\n"); line != NULL; line = strtok(NULL, "\\n")) {
                char *id = strstr(line, "\\"id\\":");
                char answer[512];
                int size = 0;
                if (id == NULL) continue;
                if (strstr(line, "\\"initialize\\"")) {
                    size = snprintf(answer, sizeof answer, "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":%ld,\\"result\\":{\\"protocol\\":1,"
                        "\\"plugin\\":{\\"id\\":\\"test.actor\\",\\"version\\":\\"1\\"}}}\\n", strtol(id + 5, NULL, 10));
                } else if (strstr(line, "BREAK")) {
                    status = 1;
                } else if (strstr(line, "\\"operation.call\\"")) {
                    size = snprintf(answer, sizeof answer, "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":%ld,\\"result\\":{\\"result\\":"
                        "{\\"from\\":\\"%s\\"}}}\\n", strtol(id + 5, NULL, 10), host->instance);
                } else if (strstr(line, "\\"message\\"")) {
                    size = snprintf(answer, sizeof answer, "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":%ld,\\"result\\":{\\"disposition\\":"
                        "\\"reply\\",\\"payload\\":{\\"from\\":\\"%s\\"}}}\\n", strtol(id + 5, NULL, 10), host->instance);
                } else {
                    size = snprintf(answer, sizeof answer, "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":%ld,\\"result\\":{}}\\n",
                        strtol(id + 5, NULL, 10));
                }
                host->send(host->ctx, (const uint8_t *)answer, size);
            }
            free(text);
            return status;
        }
        static void shut(void *self) { (void)self; }
        int32_t castway_plugin_open_v1(const cw_host *host, cw_plugin *out) {
            STATUS
            out->abi = ABI;
            out->size = sizeof *out;
            out->self = (void *)host;
            out->receive = receive;
            out->close = shut;
            return CASTWAY_PLUGIN_OK;
        }
        """

    /// Builds a library in the actor's folder.
    private static func build(
        _ folder: String, abi: String = "CASTWAY_PLUGIN_ABI", status: String = "", symbol: String? = nil
    ) throws {
        var source = Self.source.replacing("STATUS", with: status).replacing("= ABI", with: "= \(abi)")
        if let symbol { source = source.replacing("castway_plugin_open_v1(const", with: "\(symbol)(const") }
        try source.write(toFile: folder + "/plugin.c", atomically: true, encoding: .utf8)
        let header = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../../Sources/CLibraries/CPluginModule")
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "clang", "-shared", "-fPIC", "-I", header.standardized.path, "-o", folder + "/plugin.so",
            folder + "/plugin.c",
        ]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        chmod(folder + "/plugin.so", 0o644)
    }

    private static func run(
        isCancelled: Bool = false, _ prepare: (_ folder: String) throws -> Void,
        _ body: (PluginBench) async throws -> Void
    ) async throws {
        func change(_ instance: inout PluginInstance) {
            instance.kind = .module
            instance.manifest.module = "plugin.so"
            do { try prepare(instance.folder) } catch { Issue.record(error) }
        }
        try await PluginBench.run(isCancelled: isCancelled, change, body: body)
    }

    private static func buildWell(_ folder: String) throws { try Self.build(folder) }

    @Test func itAnswersLikeAProcess() async throws {
        try await Self.run(Self.buildWell) { bench in
            try await bench.ready()
            for number in 1...3 {
                let answer = try await bench.ask("{\"type\":\"X\",\"requestId\":\(number)}")
                #expect(answer.string("from") == "actor")
                #expect(answer.int("requestId") == number)
            }
            #expect(await bench.service.status().processID == nil)
            #expect(await bench.logged("A module runs in the gateway's own process and shares its fate") != nil)
        }
    }

    @Test func itDoesOperationsLikeAProcess() async throws {
        try await Self.run(Self.buildWell) { bench in
            try await bench.ready()
            let operation = PluginOperation("tell", "Tells")
            let declaration = try #require(operation.declaration(of: "actor"))
            let outcome = await bench.service.operate(operation, declaration, [:], for: .admin)
            #expect(try outcome.get().body == ["from": "actor"])
        }
    }

    @Test func whoeverIsCancelledDoesNotWaitForIt() async throws {
        try await Self.run(isCancelled: true, Self.buildWell) { try await $0.ready() }
    }

    @Test func itIsOpenedAnewWhenItGivesUp() async throws {
        try await Self.run(Self.buildWell) { bench in
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"BREAK","requestId":1}"#).string("reason") == "APP_ERROR")
            let crash = await bench.change { if case .crashed = $0 { true } else { false } }
            #expect(crash == .crashed(reason: "the module says that it is beyond use", lines: []))
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"X","requestId":2}"#).int("requestId") == 2)
        }
    }

    private struct Broken: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let prepare: @Sendable (String) throws -> Void
    }

    private static let broken: [Broken] = [
        Broken(testDescription: "missing", reason: "plugin.so cannot be read: No such file") { _ in },
        Broken(testDescription: "truncated", reason: "plugin.so cannot be loaded: it is cut short") { folder in
            try build(folder)
            guard truncate(folder + "/plugin.so", 2000) == 0 else { throw CancellationError() }
        },
        Broken(testDescription: "cut in its header", reason: "it is cut short") { folder in
            try build(folder)
            guard truncate(folder + "/plugin.so", 40) == 0 else { throw CancellationError() }
        },
        Broken(testDescription: "text", reason: "invalid ELF header") { folder in
            try String(repeating: "no library ", count: 20).write(
                toFile: folder + "/plugin.so", atomically: true, encoding: .utf8)
            chmod(folder + "/plugin.so", 0o644)
        },
        Broken(testDescription: "no entry", reason: "undefined symbol: castway_plugin_open_v1") { folder in
            try build(folder, symbol: "other")
        },
        Broken(testDescription: "another version", reason: "was made for version 7 of the module interface") { folder in
            try build(folder, abi: "7")
        },
        Broken(testDescription: "refuses the version", reason: "was made for another version") { folder in
            try build(folder, status: "return CASTWAY_PLUGIN_WRONG_ABI;")
        },
        Broken(testDescription: "cannot work", reason: "says that it cannot work here (2)") { folder in
            try build(folder, status: "return CASTWAY_PLUGIN_FAILED;")
        },
        Broken(testDescription: "writable", reason: "can be written by others") { folder in
            try build(folder)
            chmod(folder + "/plugin.so", 0o666)
        },
        Broken(testDescription: "leads out", reason: "leads out of the plugin's folder") { folder in
            guard symlink("/usr/lib", folder + "/plugin.so") == 0 else { throw CancellationError() }
        },
    ]

    @Test(arguments: Self.broken.indices) func whatCannotBeLoadedIsSaidAndHurtsNobody(index: Int) async throws {
        let broken = Self.broken[index]
        try await Self.run(broken.prepare) { bench in
            guard case .stopped(let reason) = await bench.change({ if case .stopped = $0 { true } else { false } })
            else {
                return
            }
            #expect(reason.contains(broken.reason), "\(reason)")
            #expect(reason.contains(bench.folder.path))
            // Until a reload it is not tried again.
            #expect(bench.service.pluginState == .stopped)
            try await bench.send(#"{"type":"X","requestId":2}"#)
            #expect(await bench.answer().string("reason") == "APP_ERROR")
        }
    }
}
