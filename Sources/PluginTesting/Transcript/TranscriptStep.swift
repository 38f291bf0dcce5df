import CastWire

/// One line of a transcript.
enum TranscriptStep {
    /// What the plugin is started with.
    case setting(JSONObject)
    /// Something that the gateway says.
    case says(JSONObject)
    /// Something that the plugin has to say.
    case hears(JSONObject)
    /// Time moves.
    case advances(Duration)
    /// The plugin is ended and started again.
    case restarts
    /// What the store has to hold.
    case holds(JSONObject)
    /// What a file in the state directory has to hold.
    case writes(file: String, lines: [JSONValue])

    /// Reads a line.
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

    /// Whether it answers something that the plugin asked.
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
