import ArgumentParser
import CastwayTestSupport
import Foundation
import Testing

@testable import castway

/// The manual pages and completions that `make install` puts in place.
@Suite(.timeLimit(.minutes(2))) struct InstalledHelpTests {
    /// The commands of the first level.
    private static let names = Castway.configuration.subcommands.compactMap { $0.configuration.commandName }

    /// Runs a script of the shell with `castway` as its `$0`, and gives what it prints.
    private static func shell(_ script: String, _ arguments: String...) async throws -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let result = await
            (try CastwayProcess(
                arguments, environment: ["PATH": path, "LC_ALL": "C.UTF-8"], through: ["/bin/bash", "-c", script]))
            .result()
        #expect(result.status == 0, "\(result.errors)")
        return result.output + result.errors
    }

    /// Makes them in a folder, as `make install` does.
    private static func install(in folder: TemporaryFolder) async throws {
        let program = ReadmeTour.root.appending(path: "Scripts/manual.sh").path
        let said = try await Self.shell("\"$2\" \"$0\" \"$1\"", folder.path, program)
        #expect(said == "")
    }

    @Test func everyCommandHasItsManual() async throws {
        try await TemporaryFolder.with { folder in
            try await Self.install(in: folder)
            let pages = try FileManager.default.contentsOfDirectory(atPath: folder.file("man/man1")).sorted()
            #expect(pages == (["castway.1"] + Self.names.map { "castway-\($0).1" }).sorted())
            let check = try folder.read("man/man1/castway-check.1")
            #expect(check.contains("fails on warnings too"))
            #expect(check.contains("\\fB\\-\\-strict\\fR"))
            let config = try folder.read("man/man1/castway-config.1")
            #expect(config.contains(".SS castway config explain"))
            // What groff has to say of them; nothing where it is missing.
            let judge =
                "command -v groff >/dev/null || exit 0; for page in \"$1\"/man/man1/*; do groff -man -ww -z -Tutf8 $page; done"
            #expect(try await Self.shell(judge, folder.path) == "")
        }
    }

    /// Once for all lines, since all commands are run to make what is installed.
    @Test func bashCompletes() async throws {
        try await TemporaryFolder.with { folder in
            try await Self.install(in: folder)
            let (file, plugin) = (folder.file("gateway.yaml"), folder.file("my-plugin"))
            try folder.write("", to: "gateway.yaml")
            try FileManager.default.createDirectory(atPath: plugin, withIntermediateDirectories: true)
            for (line, word) in [
                ("castway check \(folder.path)/gat", file), ("castway run -c \(folder.path)/gat", file),
                ("castway state restore \(folder.path)/gat", file),
                ("castway plugin test \(folder.path)/my", plugin), ("castway rel", "reload"),
                ("castway config ex", "explain"), ("castway check --for", "--format"),
                ("castway run --color al", "always"), ("castway cast lo", "load"),
            ] {
                let completion = try await Self.complete(line, in: folder)
                #expect(completion.words == [word], "\(line): \(completion.errors)")
            }
        }
    }

    /// What bash offers for the last word of a line.
    private static func complete(
        _ line: String, in folder: TemporaryFolder
    ) async throws -> (words: [String], errors: String) {
        let script = """
            set -e
            bash -n "$1/bash-completion/completions/castway"
            source "$1/bash-completion/completions/castway"
            shift
            COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            COMP_POINT=${#COMP_LINE}
            compopt() { :; }
            set +e
            _castway castway "${@: -1}" "${@: -2:1}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let arguments = [folder.path] + line.split(separator: " ").map(String.init)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let result = await
            (try CastwayProcess(arguments, environment: ["PATH": path], through: ["/bin/bash", "-c", script])).result()
        let words = result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return (words, result.errors)
    }

    @Test func theOtherShellsKnowTheCommands() async throws {
        try await TemporaryFolder.with { folder in
            try await Self.install(in: folder)
            let zsh = try folder.read("zsh/site-functions/_castway")
            let fish = try folder.read("fish/vendor_completions.d/castway.fish")
            #expect(zsh.hasPrefix("#compdef castway"))
            for name in Self.names {
                #expect(zsh.contains(name) && fish.contains(name), "\(name)")
            }
        }
    }
}
