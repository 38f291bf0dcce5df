import CastWire
import CastwayTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct ConfigurationCommandTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func aRightFileIsRight() async throws {
        try self.folder.writeConfiguration()
        let result = try await CastwayProcess.run("check", "--strict", folder: self.folder.path)
        #expect(result.status == 0)
        #expect(result.output == "gateway.yaml: right, 2 virtual devices\n")
    }

    @Test func errorsAreReportedInEveryFormat() async throws {
        try self.folder.writeConfiguration(adding: "loging: {}")
        let text = try await CastwayProcess.run("check", folder: self.folder.path)
        #expect(text.status == 1)
        #expect(text.output.contains("error[CW1001]"))
        let json = try await CastwayProcess.run("check", "--format", "json", folder: self.folder.path)
        #expect(json.status == 1)
        #expect(try JSONReader.read(json.output).arrayValue?.first?.objectValue?.string("code") == "CW1001")
        let github = try await CastwayProcess.run("check", "--format", "github", folder: self.folder.path)
        #expect(github.status == 1)
        #expect(github.output.hasPrefix("::error file=gateway.yaml,"))
    }

    @Test func warningsCountOnlyWhenStrict() async throws {
        try self.folder.writeConfiguration(adding: "include: [conf.d/*.yaml]")
        let lenient = try await CastwayProcess.run("check", folder: self.folder.path)
        #expect(lenient.status == 0)
        #expect(lenient.output.contains("warning[CW1032]"))
        let strict = try await CastwayProcess.run("check", "--strict", folder: self.folder.path)
        #expect(strict.status == 2)
    }

    @Test func aMissingFileIsOneLine() async throws {
        let check = try await CastwayProcess.run("check", "nowhere.yaml", folder: self.folder.path)
        #expect(check.status == 1)
        #expect(check.output.split(separator: "\n").count == 1)
        #expect(check.output.contains("nowhere.yaml"))
        let run = try await CastwayProcess.run("run", "--config", "nowhere.yaml", folder: self.folder.path)
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
    }

    @Test func theEnvironmentNamesTheFile() async throws {
        let path = try self.folder.write("version: 1\n", to: "other.yaml")
        let result = try await CastwayProcess.run("check", environment: ["CASTWAY_CONFIG": path])
        #expect(result.status == 0)
        #expect(result.output == "\(path): right, 0 virtual devices\n")
    }

    @Test func whatIsInEffectIsPrinted() async throws {
        try self.folder.writeConfiguration()
        let environment = ["CASTWAY_STATE_DIR": "elsewhere"]
        let plain = try await CastwayProcess.run(
            "config", "print", environment: environment, folder: self.folder.path)
        #expect(plain.status == 0)
        #expect(plain.output.contains("  state_directory: elsewhere\n"))
        let origins = try await CastwayProcess.run(
            "config", "print", "--origin", environment: environment, folder: self.folder.path)
        #expect(origins.output.contains("# default"))
        #expect(!plain.output.contains("# default"))
        try self.folder.write(plain.output, to: "again.yaml")
        let again = try await CastwayProcess.run("config", "print", "again.yaml", folder: self.folder.path)
        #expect(again.output == plain.output)
    }

    @Test func schemaAndReferenceAreComplete() async throws {
        let schema = try await CastwayProcess.run("config", "schema")
        #expect(try JSONReader.read(schema.output).objectValue?.object("properties")?["virtual_devices"] != nil)
        #expect(try JSONReader.read(schema.output).objectValue?.array("required") == ["version"])
        let part = try await CastwayProcess.run("config", "schema", "--included")
        #expect(try JSONReader.read(part.output).objectValue?["required"] == nil)
        let reference = try await CastwayProcess.run("config", "reference")
        #expect(reference.output.hasPrefix("#"))
        #expect(reference.output.contains("state_directory"))
    }

    @Test func codesAreExplained() async throws {
        let one = try await CastwayProcess.run("config", "explain", "cw1001")
        #expect(one.status == 0)
        #expect(one.output.hasPrefix("CW1001  The key does not exist at this place."))
        let all = try await CastwayProcess.run("config", "explain")
        #expect(all.output.split(separator: "\n").count > 30)
    }

    @Test func theWayOfAMessageIsExplained() async throws {
        try self.folder.writeConfiguration(
            adding: #"channels: [{namespace: "urn:x-cast:com.example.quiz", handler: echo}]"#)
        let toDevice = try await CastwayProcess.run(
            "route", "explain", "--device", "kitchen", "--namespace", "urn:x-cast:com.example.quiz",
            folder: self.folder.path)
        #expect(toDevice.status == 0)
        #expect(toDevice.output.contains("claims urn:x-cast:com.example.quiz"))
        #expect(toDevice.output.contains("forward to device 'projector'"))
        let toSender = try await CastwayProcess.run(
            "route", "explain", "--device", "hall", "--namespace", "urn:x-cast:com.example.other", "--direction",
            "to-sender", folder: self.folder.path)
        #expect(toSender.output.contains("to the senders"))
    }

    /// From the manifests and grants alone: the program that the plugin names does not exist.
    @Test func pluginsStandInTheWayOfAMessage() async throws {
        for (id, phase) in [("guard", "filter"), ("owner", "handle"), ("ear", "observe")] {
            try FileManager.default.createDirectory(
                atPath: self.folder.file("plugins/test.\(id)"), withIntermediateDirectories: true)
            try self.folder.write(
                """
                manifest: 1
                id: test.\(id)
                version: 1.2.3
                exec: [no-such-program]
                claims: [{match: "urn:x-cast:com.example.*", phase: \(phase)}]
                """, to: "plugins/test.\(id)/plugin.yaml")
        }
        try self.folder.writeConfiguration(
            adding: """
                channels: [{namespace: "urn:x-cast:com.example.other", handler: echo}]
                plugins:
                  directory: plugins
                  instances:
                    - name: ear
                      plugin: test.ear
                      grant: {namespaces: [{match: "urn:x-cast:com.example.quiz", phase: observe}]}
                    - name: owner
                      plugin: test.owner
                      enabled: false
                      deadline: {handle: 7s}
                      grant: {namespaces: [{match: "urn:x-cast:com.example.*", phase: handle}]}
                    - name: guard
                      plugin: test.guard
                      grant:
                        namespaces:
                          - match: "urn:x-cast:com.example.quiz"
                            phase: filter
                            types: [ANSWER]
                            deadline: 300ms
                            on_failure: closed
                            devices: [kitchen]
                """)
        func explain(_ arguments: String...) async throws -> [String] {
            let result = try await CastwayProcess(
                ["route", "explain", "--namespace", "urn:x-cast:com.example.quiz"] + arguments,
                folder: self.folder.path
            ).result()
            #expect(result.status == 0, "\(result.errors)")
            return result.output.split(separator: "\n").map(String.init).filter { !$0.contains("claims *") }
        }
        let owner =
            "skipped   owner                claims urn:x-cast:com.example.*, deadline 7.0 seconds, on failure open, default"
        let lines = [
            "filter    guard                claims urn:x-cast:com.example.quiz, types ANSWER, deadline 0.3 seconds, "
                + "on failure closed, default (plugin test.guard 1.2.3)",
            "\(owner) (plugin test.owner 1.2.3): the plugin is not enabled", "default   forward to device 'projector'",
            "observe   ear                  claims urn:x-cast:com.example.quiz, default (plugin test.ear 1.2.3)",
        ]
        #expect(try await explain("--device", "kitchen") == lines)
        #expect(try await explain("--device", "kitchen", "--type", "ANSWER") == lines)
        #expect(try await explain("--device", "kitchen", "--type", "JOIN") == Array(lines.dropFirst()))
        let other = try await CastwayProcess.run(
            "route", "explain", "--device", "kitchen", "--namespace", "urn:x-cast:com.example.other",
            folder: self.folder.path)
        // The more specific claim stands before the plugin's.
        let owners = other.output.split(separator: "\n").filter { $0.contains("claims urn:") }
        #expect(owners.count == 2 && owners.first?.hasPrefix("handle    channel ") == true, "\(owners)")
        #expect(owners.last?.hasPrefix("skipped   owner") == true)
    }

    @Test func aDeviceThatIsNotThereIsGuessed() async throws {
        try self.folder.writeConfiguration()
        let result = try await CastwayProcess.run(
            "route", "explain", "--device", "kitchn", "--namespace", "urn:x-cast:a", folder: self.folder.path)
        #expect(result.status == 64)
        #expect(
            result.errors
                == "castway: gateway.yaml: undefined virtual device 'kitchn': did you mean 'kitchen'?\n")
    }
}
