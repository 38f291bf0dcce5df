public import CastWire
import NIOCore

/// A golden transcript: what is said to a plugin, and what it has to say. `Docs/plugin-transcripts.md` has the format.
public struct Transcript: Sendable {
    /// A line as it stands, and its meaning; nil for a blank line and a comment.
    struct Line: Sendable {
        let number: Int
        let text: String
        let step: TranscriptStep?
    }

    let lines: [Line]

    /// Reads a transcript.
    /// - Parameter text: the file's content.
    /// - Throws: ``TranscriptError`` for the first line that is none.
    public init(_ text: String) throws(TranscriptError) {
        var lines: [Line] = []
        for (index, part) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let text = String(part)
            guard let first = text.first(where: { !$0.isWhitespace }), first != "#" else {
                lines.append(Line(number: index + 1, text: text, step: nil))
                continue
            }
            let json: JSONValue
            do throws(JSONError) {
                json = try JSONReader.read(text)
            } catch {
                throw TranscriptError(line: index + 1, reason: "\(error)")
            }
            guard let object = json.objectValue else {
                throw TranscriptError(line: index + 1, reason: "a line is a JSON object")
            }
            let step = try TranscriptStep(object, line: index + 1)
            if case .setting = step, lines.contains(where: { $0.step != nil }) {
                throw TranscriptError(line: index + 1, reason: "plugin stands in the first line")
            }
            lines.append(Line(number: index + 1, text: text, step: step))
        }
        if lines.last?.text.isEmpty ?? false { lines.removeLast() }
        self.lines = lines
    }

    /// What the plugin is started with: the object under `plugin`.
    var setting: JSONObject {
        for line in self.lines {
            if case .setting(let setting)? = line.step { return setting }
        }
        return [:]
    }

    /// The configuration that the plugin is started with.
    public var config: JSONObject { self.setting.object("config") ?? [:] }

    /// The lines that belong together: something that happens, and what the plugin has to say then.
    struct Scene {
        /// The line itself. Nil at the beginning, for what is said before anything happens.
        var cause: Line?
        /// Remarks before it.
        var preface: [Line] = []
        var expected: [(line: Line, json: JSONObject)] = []
        /// Blank lines and comments within, which an update keeps.
        var remarks: [Line] = []
    }

    var scenes: [Scene] {
        var scenes = [Scene()]
        for line in self.lines {
            switch line.step {
            case nil: scenes.append(Scene(cause: line))
            case .setting?:
                // Only remarks can stand before it.
                scenes = [Scene(cause: line, preface: scenes.compactMap(\.cause))]
            case .hears(let json)?:
                // A remark between a cause and what follows from it belongs to the cause.
                if let last = scenes.last, let cause = last.cause, cause.step == nil, scenes.count > 1 {
                    scenes.removeLast()
                    scenes[scenes.count - 1].remarks.append(cause)
                }
                scenes[scenes.count - 1].expected.append((line, json))
            default: scenes.append(Scene(cause: line))
            }
        }
        return scenes
    }
}
