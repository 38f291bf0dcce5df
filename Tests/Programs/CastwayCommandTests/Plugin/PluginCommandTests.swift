import CastWire
import CastwayTestSupport
import Foundation
import GatewayApp
import GatewayOperations
import Testing

/// The real program: `castway plugin`, for authors and for operators.
@Suite(.timeLimit(.minutes(3))) struct PluginCommandTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func plugin(_ arguments: String...) async throws -> CastwayProcess.Result {
        try await CastwayProcess(["plugin"] + arguments, folder: self.folder.path).result()
    }

    @Test(arguments: ["python", "sh"]) func aNewPluginIsRight(_ language: String) async throws {
        let made = try await self.plugin(
            "new", "--lang", language, "my-quiz", "--namespace", "urn:x-cast:org.example.quiz")
        #expect(made.status == 0)
        #expect(
            made.output.hasPrefix("Made Plugins/my-quiz: a plugin that answers HELLO in urn:x-cast:org.example.quiz.\n")
        )
        let checked = try await self.plugin("check", "Plugins/my-quiz")
        #expect(checked.status == 0, "\(checked.output)")
        #expect(checked.output.hasPrefix("my-quiz 0.1.0: the manifest is right\n"))
        #expect(checked.output.contains(" 0 broken\n"))
        let tested = try await self.plugin("test", "Plugins/my-quiz/", "--sandbox", "strict")
        #expect(tested.output == "  ok      tests/greeting.jsonl\n1 of 1 transcripts are kept\n")
        #expect(tested.status == 0)
        let readme = try self.folder.read("Plugins/my-quiz/README.md")
        #expect(!readme.contains("@"))
        #expect(readme.contains("castway plugin kit") == (language == "python"))
    }

    /// A plugin in Python needs no copy of the kit, and uses one that it has.
    @Test func aPluginsOwnKitComesFirst() async throws {
        _ = try await self.plugin("new", "--lang", "python", "quiz")
        #expect(!FileManager.default.fileExists(atPath: self.folder.file("Plugins/quiz/castway.py")))
        let kit = try await self.plugin("kit")
        #expect(kit.status == 0 && kit.errors == "")
        #expect(kit.output.hasSuffix("/Plugins/python\n"), "\(kit.output)")
        try self.folder.write("raise SystemExit(7)\n", to: "Plugins/quiz/castway.py")
        let result = try await self.plugin("check", "Plugins/quiz", "--only", "handshake")
        #expect(result.status == 1)
        #expect(result.output.contains("exited with status 7"), "\(result.output)")
    }

    /// A name that is a domain already gets no other before it.
    @Test(arguments: [
        ("hello", "urn:x-cast:com.example.hello"), ("com.example.thing", "urn:x-cast:com.example.thing"),
        ("org.example.thing", "urn:x-cast:org.example.thing"),
    ])
    func aNewPluginHasANamespaceOfItsName(_ name: String, _ namespace: String) async throws {
        let made = try await self.plugin("new", "--lang", "sh", name)
        #expect(
            made.output.hasPrefix("Made Plugins/\(name): a plugin that answers HELLO in \(namespace).\n"), "\(made)")
        #expect(try await self.plugin("check", "Plugins/\(name)").status == 0)
        #expect(try self.folder.read("Plugins/\(name)/plugin.yaml").contains(namespace))
    }

    @Test func aNewSwiftPluginNamesItsCastway() async throws {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
        for (arguments, dependency) in [
            ([], #".package(name: "castway", path: "\#(checkout)")"#),
            (["--castway", checkout + "/"], #".package(name: "castway", path: "\#(checkout)")"#),
            (
                ["--castway", "https://example.com/castway.git"],
                #".package(url: "https://example.com/castway.git", branch: "main")"#
            ),
        ] {
            let directory = UUID().uuidString
            let made = try await CastwayProcess(
                ["plugin", "new", "--lang", "swift", "4-quiz", "--directory", directory] + arguments,
                folder: self.folder.path
            ).result()
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.output.contains("swift build -c release --package-path \(directory)/4-quiz\n"))
            #expect(try self.folder.read("\(directory)/4-quiz/Package.swift").contains(dependency))
            #expect(
                try self.folder.read("\(directory)/4-quiz/Sources/Plugin4Quiz.swift").contains(
                    "struct Plugin4Quiz: CastPlugin"))
        }
        let wrong = try await self.plugin("new", "--lang", "swift", "quiz", "--castway", ".")
        #expect(wrong.status == 64)
        #expect(wrong.errors == "castway: . is no checkout of Castway: there is no Sources/Contracts/PluginKit\n")
    }

    @Test func nothingIsOverwritten() async throws {
        try FileManager.default.createDirectory(
            atPath: self.folder.file("Plugins/quiz"), withIntermediateDirectories: true)
        let result = try await self.plugin("new", "--lang", "sh", "quiz")
        #expect(result.status == 76)
        #expect(result.errors == "castway: Plugins/quiz is there already; nothing was changed\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.folder.file("Plugins/quiz")).isEmpty)
    }

    @Test(arguments: ["../quiz", "", ".hidden", "a b", String(repeating: "q", count: 65)])
    func namesThatAreNoneAreRefused(_ name: String) async throws {
        #expect(try await self.plugin("new", "--lang", "sh", "--", name).status == 64)
    }

    @Test func whatIsWrongWithAManifestIsShownAtItsPlace() async throws {
        _ = try await self.plugin("new", "--lang", "python", "quiz")
        try self.folder.write(
            "manifest: 1\nid: quizz\nversion: 0.1.0\nexec: [plugin.py]\nclams: []\n", to: "Plugins/quiz/plugin.yaml")
        let result = try await self.plugin("check", "Plugins/quiz")
        #expect(result.status == 1)
        #expect(result.errors.contains("plugin.yaml:5:1: error"), "\(result.errors)")
        #expect(result.errors.contains("did you mean 'claims'?"))
    }

    @Test func aBreachIsExplained() async throws {
        _ = try await self.plugin("new", "--lang", "python", "quiz")
        let source = try self.folder.read("Plugins/quiz/plugin.py")
        try self.folder.write(
            source.replacing("import castway\n", with: "import castway\nimport os\nos.write(1, b'loading\\n')\n"),
            to: "Plugins/quiz/plugin.py")
        let result = try await self.plugin("check", "Plugins/quiz", "--only", "handshake")
        #expect(result.status == 1)
        #expect(result.output.contains("  BROKEN  handshake"))
        #expect(result.output.contains("the plugin wrote a line that is no message, since it is no JSON"))
        #expect(result.output.contains("what to do: Answer initialize with"))
        let json = try await self.plugin("check", "Plugins/quiz", "--only", "handshake", "--json")
        #expect(json.output.contains(#""outcome":"broken""#))
        #expect(try await self.plugin("check", "Plugins/quiz", "--only", "no-such").status == 64)
    }

    @Test func aConfigurationHasToFit() async throws {
        _ = try await self.plugin("new", "--lang", "python", "quiz")
        let result = try await self.plugin("check", "Plugins/quiz", "--config", #"{"greeting":7}"#)
        #expect(result.status == 1)
        #expect(result.errors.contains("'config.greeting' must be a text"), "\(result.errors)")
        let transcript = try self.folder.read("Plugins/quiz/tests/greeting.jsonl")
        try self.folder.write(
            transcript.replacing("\"Good evening\"}", with: "7}"), to: "Plugins/quiz/tests/greeting.jsonl")
        let tested = try await self.plugin("test", "Plugins/quiz")
        #expect(tested.status == 1)
        #expect(tested.output.contains("the configuration does not fit the plugin's schema"), "\(tested.output)")
    }

    @Test func aTranscriptIsUpdatedOnRequest() async throws {
        _ = try await self.plugin("new", "--lang", "python", "quiz")
        let source = try self.folder.read("Plugins/quiz/plugin.py")
        try self.folder.write(source.replacing("WELCOME", with: "WILKOMMEN"), to: "Plugins/quiz/plugin.py")
        let before = try self.folder.read("Plugins/quiz/tests/greeting.jsonl")
        let failed = try await self.plugin("test", "Plugins/quiz")
        #expect(failed.status == 1)
        #expect(
            failed.output.contains("  FAILED  tests/greeting.jsonl\n          line 4: the plugin says something else\n")
        )
        #expect(try self.folder.read("Plugins/quiz/tests/greeting.jsonl") == before)
        let updated = try await self.plugin("test", "Plugins/quiz", "--update")
        #expect(updated.output == "  written tests/greeting.jsonl\n1 of 1 transcripts are kept\n")
        #expect(updated.status == 0)
        #expect(
            try self.folder.read("Plugins/quiz/tests/greeting.jsonl") == before.replacing("WELCOME", with: "WILKOMMEN"))
    }

    @Test func aGatewayOfItsOwnRunsIt() async throws {
        _ = try await self.plugin("new", "--lang", "python", "quiz")
        let gateway = try CastwayProcess(
            [
                "plugin", "run", "Plugins/quiz", "--listen", "127.0.0.1:0", "--state", "state", "--config",
                #"{"greeting":"Hi"}"#,
            ],
            folder: self.folder.path)
        let summary = await gateway.wait(for: "Ctrl-C ends it.\n")
        let address = try #require(summary.firstMatch(of: #/castway cast (127\.0\.0\.1:\d+) send/#)).1
        let admin = "unix:" + self.folder.file("state/admin.sock")
        #expect(summary.contains("castway plugin trace quiz --admin \(admin)\n"))

        let trace = try CastwayProcess(["plugin", "trace", "quiz", "--admin", admin])
        // A message that comes after the trace has begun is in it; until then another one is sent.
        let line = await withTaskGroup(of: String?.self) { group in
            group.addTask { await trace.wait(for: "message done reply") }
            group.addTask {
                while !Task.isCancelled {
                    let answer = try? await CastwayProcess.run(
                        "cast", String(address), "send", "urn:x-cast:com.example.quiz",
                        #"{"type":"HELLO","requestId":1}"#,
                        "--app", "ABCD1234")
                    // What is cut short has nothing to say.
                    guard !Task.isCancelled else { break }
                    #expect(answer?.output == "{\"requestId\":1,\"type\":\"WELCOME\",\"text\":\"Hi, stranger\"}\n")
                }
                return nil
            }
            defer { group.cancelAll() }
            return await group.first { $0 != nil } ?? nil
        }
        #expect(line?.contains("-> ") ?? false)
        #expect(line?.contains("message handle urn:x-cast:com.example.quiz HELLO on test") ?? false)
        #expect(!(line?.contains("stranger") ?? true))

        let list = try await self.plugin("list", "--admin", admin)
        #expect(list.output.contains("quiz  quiz    0.1.0    process  ready  0"), "\(list.output)")
        let sheet = try await self.plugin("inspect", "quiz", "--admin", admin)
        #expect(
            sheet.output.contains("  asked about   handle urn:x-cast:com.example.quiz (to_receiver)\n"),
            "\(sheet.output)")
        for (command, name) in [(["list"], "plugins.list"), (["inspect", "quiz"], "plugin.get")] {
            let arguments = ["plugin"] + command + ["--json", "--admin", admin]
            let answer = try await CastwayProcess(arguments, folder: self.folder.path).result().output
            let declared = try #require(BuiltInOperations.all.first { $0.name.rawValue == name }).result
            #expect(declared.faults(of: try #require(try JSONReader.read(answer).objectValue)) == [])
        }
        #expect(try await self.plugin("disable", "quiz", "--admin", admin).status == 0)
        #expect(try await self.plugin("enable", "quiz", "--admin", admin).status == 0)
        #expect(try await self.plugin("restart", "quiz", "--admin", admin).status == 0)
        let unknown = try await self.plugin("inspect", "nobody", "--admin", admin)
        #expect(unknown.status == 76)
        #expect(unknown.errors.hasSuffix("\ncastway: no plugin named 'nobody' is listed in plugins.instances\n"))
        #expect(try await self.plugin("trace", "nobody", "--admin", admin).status == 76)
        trace.terminate()
        gateway.terminate()
        #expect(await gateway.result().status == 0)
        let gone = try await self.plugin("list", "--admin", admin)
        #expect(gone.status == 69)
    }
}
