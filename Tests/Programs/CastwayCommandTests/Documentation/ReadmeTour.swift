import CastwayTestSupport
import Foundation

/// The commands of the README with what it says that they print, in order.
struct ReadmeTour {
    /// One command.
    struct Step: Sendable {
        let command: [String]
        let output: String
    }

    /// What `castway run` prints.
    let summary: String
    /// The commands, without `castway` itself.
    let steps: [Step]

    /// The project's folder.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    init() throws {
        let text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "\n```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        self.summary = blocks.first { $0.hasPrefix("\nCastway runs") }.map { String($0.dropFirst()) + "\n" } ?? ""
        self.steps = blocks.flatMap { block in
            block.components(separatedBy: "\n$ castway ").dropFirst().map { piece in
                let lines = piece.split(separator: "\n", omittingEmptySubsequences: false)
                let output = lines.dropFirst().joined(separator: "\n")
                return Step(
                    command: Self.words(lines.first ?? ""), output: output.trimmingCharacters(in: .newlines) + "\n")
            }
        }
    }

    /// The words of a command; what stands in single quotes is one.
    private static func words(_ command: Substring) -> [String] {
        command.matches(of: #/'([^']*)'|[^ ]+/#).map { String($0.output.1 ?? $0.output.0) }
    }

    /// What may differ between two runs: how far the film has come, and whether it has begun to play.
    static func steady(_ output: String) -> String {
        output.replacing(#/\d+:\d\d of/#, with: "0:00 of").replacing(#/(BUFFERING|PLAYING) /#, with: "PLAYING ")
    }
}
