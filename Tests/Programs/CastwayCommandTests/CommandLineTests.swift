import ArgumentParser
import Testing

@testable import castway

@Suite(.timeLimit(.minutes(2))) struct CommandLineTests {
    @Test func helpSaysWhereToBegin() async throws {
        let help = try await CastwayProcess.run("--help")
        #expect(help.status == 0)
        #expect(help.output.contains("Where to begin:"))
        #expect(help.output.contains("98   an address cannot be listened on"))
        let bare = try await CastwayProcess.run()
        #expect(bare.status == 0)
        #expect(bare.output == help.output)
    }

    @Test func versionIsANumber() async throws {
        let version = try await CastwayProcess.run("--version")
        #expect(version.status == 0)
        #expect(version.output.split(separator: ".").count == 3)
    }

    @Test(arguments: [
        ["unknown"], ["cast"], ["cast", "127.0.0.1", "volume", "1"], ["cast", "127.0.0.1", "load", "http://x/y"],
        ["cast", "127.0.0.1", "seek"], ["cast", "127.0.0.1", "seek", "1", "2"],
        ["cast", "127.0.0.1", "send", "nonsense", "{}"],
        ["cast", "127.0.0.1", "send", "urn:x-cast:com.example.quiz", "{"],
        ["cast", "127.0.0.1", "send", "urn:x-cast:com.google.cast.tp.connection", "{}"],
        ["cast", "127.0.0.1:0", "status"], ["cast", "127.0.0.1", "status", "--timeout", "0"],
        ["check", "--format", "xml"], ["route", "explain", "--device", "hall"], ["config", "explain", "CW0000"],
        ["check", "a.yaml", "--config", "b.yaml"], ["config", "print", "--origin", "--json"],
        ["cast", "127.0.0.1", "plya"],
        ["plugin", "run", ".", "--attach", "--sandbox", "strict"],
    ])
    func wrongUseIs64(arguments: [String]) async throws {
        let result = await (try CastwayProcess(arguments)).result()
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(!result.errors.isEmpty)
    }

    /// One spelling for programs: every command that reports something knows both forms.
    @Test func everyReportHasBothSpellings() throws {
        func leaves(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
            let children = command.configuration.subcommands
            return children.isEmpty ? [command] : children.flatMap(leaves)
        }
        // These write files, run a gateway, or print a format of its own.
        let without: Set = ["run", "new", "host", "kit", "export-root", "schema", "reference", "rules"]
        var count = 0
        for command in leaves(Castway.self) where !without.contains(command._commandName) {
            let help = Castway.helpMessage(for: command)
            #expect(help.contains("--format <format>") && help.contains("--json"), "\(command)")
            count += 1
        }
        #expect(count > 40)
    }

    @Test func outputThatCannotBeWrittenIs74() async throws {
        let shell = ["/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/full"]
        let result = await (try CastwayProcess(["config", "reference"], through: shell)).result()
        #expect(result.status == 74)
        #expect(result.errors == "castway: standard output cannot be written: No space left on device\n")
    }

    @Test(arguments: ["load", "send", "watch"])
    func everyCastCommandHasItsHelp(command: String) async throws {
        let result = try await CastwayProcess.run("cast", "127.0.0.1", command, "--help")
        #expect(result.status == 0)
        #expect(result.output.contains("USAGE: castway cast <host>[:<port>] \(command)"))
    }
}
