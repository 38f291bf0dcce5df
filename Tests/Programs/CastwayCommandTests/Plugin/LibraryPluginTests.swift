import CastwayTestSupport
import Foundation
import Testing

/// `castway plugin check` and `castway plugin test` with plugins that are only a library.
@Suite(.timeLimit(.minutes(3))) struct LibraryPluginTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: self.folder.file("test.library/lib"), withIntermediateDirectories: true)
        try self.folder.write(
            """
            manifest: 1
            id: test.library
            version: "1"
            module: lib/module.so
            claims: [{match: "urn:x-cast:com.example.library", phase: handle}]
            """, to: "test.library/plugin.yaml")
    }

    private var library: String { self.folder.file("test.library/lib/module.so") }

    /// Builds the library of the fixtures, or another text.
    private func build(defining definition: String? = nil, source: String? = nil) throws {
        let file = try source.map { try self.folder.write($0, to: "module.c") }
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments =
            ["cc", "-shared", "-fPIC", "-w", "-I", Self.root.appending(path: "Sources/CLibraries/CPluginModule").path]
            + (definition.map { ["-D\($0)"] } ?? []) + ["-o", self.library]
            + [file ?? Self.root.appending(path: "Tests/Fixtures/plugins/modules/module.c").path]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: self.library)
    }

    private func plugin(_ arguments: String...) async throws -> CastwayProcess.Result {
        try await CastwayProcess(["plugin"] + arguments, folder: self.folder.path).result()
    }

    /// The quiz without its program: every demand and every transcript, as for the program.
    @Test func aLibraryIsTriedLikeAProgram() async throws {
        let quiz = Self.root.appending(path: "Plugins/quiz").path
        let copy = self.folder.file("quiz")
        try FileManager.default.createDirectory(atPath: copy + "/lib", withIntermediateDirectories: true)
        for name in ["config.schema.json", "tests"] {
            try FileManager.default.copyItem(atPath: "\(quiz)/\(name)", toPath: "\(copy)/\(name)")
        }
        let manifest = try String(contentsOfFile: "\(quiz)/plugin.yaml", encoding: .utf8)
        try self.folder.write(manifest.replacing("exec: [bin/quiz]\n", with: ""), to: "quiz/plugin.yaml")
        let built = URL(filePath: CastwayProcess.executable).deletingLastPathComponent()
        try FileManager.default.copyItem(
            atPath: built.appending(path: "libQuizModule.so").path, toPath: copy + "/lib/quiz.so")
        let checked = try await self.plugin("check", "quiz")
        #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
        #expect(checked.output.contains(" 0 broken\n"))
        let tested = try await self.plugin("test", "quiz")
        #expect(tested.status == 0, "\(tested.output)\(tested.errors)")
        #expect(tested.output.contains("transcripts are kept\n"))
    }

    /// What can be wrong with a library, and what is said of it.
    private static let wrongs = [
        ("WRONG_ABI", "was made for version 99 of the module interface; this Castway has 1"),
        ("NO_SYMBOL", "is no plugin: "), ("REFUSES", "the licence has expired"),
        ("EMPTY", "does not fill in what it must"),
    ]

    @Test(arguments: Self.wrongs) func aWrongLibraryIsExplained(_ definition: String, _ reason: String) async throws {
        try self.build(defining: definition)
        let result = try await self.plugin("check", "test.library")
        #expect(result.status == 1)
        #expect(result.output.contains("  BROKEN  handshake"), "\(result.output)")
        #expect(result.output.contains(reason), "\(result.output)")
    }

    @Test func aLibraryThatIsCutShortIsExplained() async throws {
        try self.build()
        let whole = try Data(contentsOf: URL(filePath: self.library))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: self.library))
        let result = try await self.plugin("check", "test.library")
        #expect(result.status == 1)
        #expect(result.output.contains("lib/module.so cannot be loaded: it is cut short"), "\(result.output)")
    }

    @Test(arguments: [
        "castway_plugin_open_v1(const cw_host *host, cw_plugin *out)", "__attribute__((constructor)) early(void)",
    ])
    func aCrashIsAVerdict(_ function: String) async throws {
        try self.build(
            source: """
                #include "castway_plugin.h"
                #include <stdlib.h>
                \(function.hasPrefix("__") ? "" : "int32_t ")\(function.replacing("early", with: "void early")) { abort(); }
                """)
        let result = try await self.plugin("check", "test.library")
        #expect(result.status == 1)
        #expect(result.output.contains("was ended by signal 6"), "\(result.output)")
    }
}
