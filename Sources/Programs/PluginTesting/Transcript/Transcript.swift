package import CastWire
import Glibc
import NIOCore

/// A golden transcript: what is said to a plugin, and what it has to say. `Docs/plugin-transcripts.md` has the format.
package struct Transcript: Sendable {
    /// A line as it stands, and its meaning; nil for a blank line and a comment.
    struct Line: Sendable {
        let number: Int
        let text: String
        let step: TranscriptStep?
    }

    let lines: [Line]

    /// Reads a transcript.
    /// - Throws: ``TranscriptError`` for the first line that is none.
    package init(_ text: String) throws(TranscriptError) {
        var lines: [Line] = []
        for (index, part) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let text = String(part)
            guard let first = text.first(where: { !$0.isWhitespace }), first != "#" else {
                lines.append(Line(number: index + 1, text: text, step: nil))
                continue
            }
            let json: JSONValue
            do throws(JSONError) {
                json = try JSONReader.read(document: text)
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

    /// The setting that the plugin is started with: the object under `plugin`.
    var setting: JSONObject {
        for line in self.lines {
            if case .setting(let setting)? = line.step { return setting }
        }
        return [:]
    }

    package var config: JSONObject { self.setting.object("config") ?? [:] }

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

enum TranscriptStep {
    case setting(JSONObject)
    case says(JSONObject)
    case hears(JSONObject)
    /// Time moves.
    case advances(Duration)
    case restarts
    /// The contents of the store.
    case holds(JSONObject)
    /// The contents of a file in the state directory.
    case writes(file: String, lines: [JSONValue])

    init(_ json: JSONObject, line: Int) throws(TranscriptError) {
        func fault(_ reason: String) -> TranscriptError { TranscriptError(line: line, reason: reason) }
        func object(_ name: String) throws(TranscriptError) -> JSONObject {
            guard let object = json.object(name) else { throw fault("\(name) has to be an object") }
            return object
        }
        let known = ["plugin", "in", "out", "advance", "restart", "kv", "file"]
        guard let name = json.members.map(\.name).first(where: known.contains) else {
            throw fault("a line is one of \(known.joined(separator: ", "))")
        }
        if let other = json.members.map(\.name).first(where: { $0 != name && !(name == "file" && $0 == "lines") }) {
            throw fault("\(other) does not belong beside \(name)")
        }
        switch name {
        case "plugin": self = .setting(try object(name))
        case "in": self = .says(try object(name))
        case "out": self = .hears(try object(name))
        case "advance":
            guard let text = json.string(name), let duration = Duration(transcript: text) else {
                throw fault("advance is a duration such as 250ms, 2s, 10m, 3h or 1d")
            }
            self = .advances(duration)
        case "restart":
            guard json.bool(name) == true else { throw fault("restart is true") }
            self = .restarts
        case "kv": self = .holds(try object(name))
        default:
            guard let file = json.string(name), let lines = json.array("lines") else {
                throw fault("a file is its name, and its lines as an array")
            }
            guard !file.hasPrefix("/"), !file.split(separator: "/").contains("..") else {
                throw fault("a file is named within the state directory")
            }
            self = .writes(file: file, lines: lines)
        }
    }

    /// True if it answers something that the plugin asked.
    var isAnswer: Bool {
        if case .says(let json) = self { json["result"] != nil || json["error"] != nil } else { false }
    }
}

extension Duration {
    /// Reads a duration of a transcript: a number and ms, s, m, h or d.
    init?(transcript text: String) {
        let units: [(String, Int64)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]
        for (unit, milliseconds) in units where text.hasSuffix(unit) {
            guard let number = Int64(text.dropLast(unit.count)), number >= 0, number < 1 << 32 else { continue }
            self = .milliseconds(number * milliseconds)
            return
        }
        return nil
    }
}

/// A fault of a transcript itself.
package struct TranscriptError: Error, Hashable, CustomStringConvertible {
    /// From 1.
    package let line: Int
    package let reason: String

    package var description: String { "line \(self.line): \(self.reason)" }
}

enum FileText {
    /// The content of a file; nil when it cannot be read.
    static func read(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }

    /// Writes a file; what cannot be written is missing then.
    static func write(_ text: String, to path: String) {
        guard let file = fopen(path, "we") else { return }
        defer { fclose(file) }
        _ = fputs(text, file)
    }
}

/// The result of playing a transcript.
package struct TranscriptReport: Sendable {
    /// The differences; empty when all is as it stands there.
    package let findings: [TranscriptFinding]
    /// The transcript as it would be right, with what the plugin said.
    package let updated: String
    /// The lines that the plugin logged, and its requests to its store.
    package let asides: [String]
    /// The last lines of what it wrote to standard error.
    package let errors: [String]
}

/// A difference between a plugin and its transcript.
package struct TranscriptFinding: Sendable, Hashable, CustomStringConvertible {
    /// The line of the transcript, from 1.
    package let line: Int
    package let text: String

    package var description: String { "line \(self.line): \(self.text)" }
}
