import ArgumentParser
import CastWire
import PluginHosting
import PluginTesting

struct PluginCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "check", "Checks a plugin: its manifest, its schema, and what the protocol demands of it.",
        """
        The plugin is started for each demand, with all that its manifest asks for and a configuration that it \
        accepts: --config, else that of its first transcript. No gateway has to run.
        """,
        examples: [
            "castway plugin check Plugins/hello",
            #"castway plugin check Plugins/hello --config '{"greeting": "Good evening"}'"#,
            "castway plugin check Plugins/hello --only handshake --only payload-64k",
        ])

    @Argument(help: "The plugin's folder.", completion: .directory) var folder = "."
    @Option(help: .init("A configuration that the plugin accepts.", valueName: "json")) var config: String?
    @Option(help: .init("Only this demand; may be repeated.", valueName: "name")) var only: [String] = []
    @OptionGroup var output: OutputOption<TextOrJSON>
    @OptionGroup var sandbox: SandboxOption

    func validate() throws {
        let known = ConformanceCase.all.map(\.name)
        if let name = self.only.first(where: { !known.contains($0) }) {
            throw ValidationError("There is no demand '\(name)'. There are: \(known.joined(separator: ", ")).")
        }
    }

    func run() throws {
        let plugin = try PluginUnderTest(self.folder, sandbox: self.sandbox.sandbox)
        let completion = PluginConfigCompletion(
            try plugin.configuration(given: self.config), schema: plugin.folder.schema)
        if let problem = completion.problems.first {
            throw CommandFailure(
                .configurationInvalid,
                "the plugin needs a configuration to be tried with (\(problem)): give one with --config, or in a transcript"
            )
        }
        if !self.output.isJSON {
            StandardOutput.write("\(plugin.title): the manifest is right\n")
            StandardOutput.write(lines: plugin.folder.manifest.ownedBuiltIns.map { Self.note(on: $0).printable })
        }
        let suite = ConformanceSuite(try plugin.program(sandbox: self.sandbox.sandbox), config: completion.config)
        let results: [ConformanceResult]
        do {
            results = try suite.run(only: self.only.isEmpty ? nil : self.only) { result in
                StandardOutput.write(lines: self.output.isJSON ? [result.json.text] : result.lines)
            }
        } catch {
            throw CommandFailure(.refused, error.description)
        }
        let broken = results.filter(\.isBroken)
        if !self.output.isJSON {
            let kept = results.filter { $0.outcome == .kept }.count
            let rest = broken.isEmpty ? "" : ": " + broken.map(\.name).joined(separator: ", ")
            StandardOutput.write("\(kept) kept, \(broken.count) broken\(rest)\n")
        }
        if !broken.isEmpty { throw CommandFailure(.configurationInvalid) }
    }

    /// What an author is told who claims what a handler of Castway's own owns.
    private static func note(on handler: ReplaceableHandler) -> String {
        let name = handler.rawValue
        let player = handler == .media ? ", but to the player of an app" : ""
        return
            "  note    a claim to handle what '\(name)' handles is not granted\(player): with 'replaces: [\(name)]' in plugin.yaml the plugin can be asked in its place"
    }
}

extension ConformanceResult {
    var lines: [String] {
        let name = self.name.padded(to: 22)
        switch self.outcome {
        case .kept: return ["  ok      \(name) \(self.demand)"]
        case .skipped(let reason): return ["  -       \(name) \(reason)"]
        case .broken(let text):
            let errors =
                self.errors.isEmpty
                ? [] : ["          it wrote to standard error:"] + self.errors.map { "            \($0)" }
            return [
                "  BROKEN  \(name) \(self.demand)", "          the plugin \(text.printable)",
                "          what to do: \(self.advice)",
            ] + errors.map(\.printable)
        }
    }

    var json: JSONValue {
        var json: JSONObject = ["name": .string(self.name), "demand": .string(self.demand)]
        switch self.outcome {
        case .kept: json["outcome"] = "kept"
        case .skipped(let reason):
            json["outcome"] = "skipped"
            json["reason"] = .string(reason)
        case .broken(let text):
            json["outcome"] = "broken"
            json["reason"] = .string(text)
            json["advice"] = .string(self.advice)
            json["stderr"] = .array(self.errors.map { .string($0) })
        }
        return .object(json)
    }
}
