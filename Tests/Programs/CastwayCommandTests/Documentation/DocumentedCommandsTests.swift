import Foundation
import Testing

/// Every command that a page names is there, with the options that it names.
@Suite(.timeLimit(.minutes(2))) struct DocumentedCommandsTests {
    /// The command lines in blocks of code and in backticks, without `castway` itself.
    private static func commands(in text: String) -> [String] {
        let parts = text.components(separatedBy: "```").enumerated()
        let blocks = parts.filter { $0.offset % 2 == 1 }.flatMap { $0.element.split(separator: "\n") }
        let lines = blocks.compactMap { line in
            line.firstMatch(of: #/^ *(?:\$ |sudo )?(?:\.build/debug/)?castway (.+)/#).map { String($0.output.1) }
        }
        let prose = parts.filter { $0.offset % 2 == 0 }.map(\.element).joined()
        return lines + prose.matches(of: /`castway ([^`]+)`/).map { String($0.output.1) }
    }

    @Test func everyCommandExists() async throws {
        let tree = try await CommandTree.read()
        var paths = ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
        let docs = try FileManager.default.subpathsOfDirectory(atPath: ReadmeTour.root.appending(path: "Docs").path)
        paths += docs.filter { $0.hasSuffix(".md") }.map { "Docs/\($0)" }
        var count = 0
        for path in paths.sorted() {
            let text = try String(contentsOf: ReadmeTour.root.appending(path: path), encoding: .utf8)
            for command in Self.commands(in: text) {
                count += 1
                // Without comments, and without what another program gets.
                let own =
                    command.replacing(#/ +#.*/#, with: "").split(whereSeparator: { "|;&>".contains($0) }).first ?? ""
                let unknown = tree.firstUnknown(in: own.split(separator: " ").map(String.init))
                #expect(unknown == nil, "\(path): castway \(command)")
            }
        }
        #expect(count > 80)
        #expect(tree.firstUnknown(in: ["fly"]) == "fly")
        #expect(tree.firstUnknown(in: ["config", "fly"]) == "fly")
        #expect(tree.firstUnknown(in: ["check", "--fast", "gateway.yaml"]) == "--fast")
        #expect(tree.firstUnknown(in: ["cast", "127.0.0.1", "load", "--title", "One"]) == nil)
    }
}
