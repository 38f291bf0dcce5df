import Foundation

/// What the sources declare, as far as a look at their text tells.
struct SourceIndex {
    /// The project's folder.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folders of layers in `Sources`.
    static func layers() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: Self.root.appending(path: "Sources"), includingPropertiesForKeys: nil)
    }

    /// The names of all modules.
    static func modules() throws -> Set<String> {
        Set(try Self.layers().flatMap { try FileManager.default.contentsOfDirectory(atPath: $0.path) })
    }

    /// The text of each file that declares or extends a type.
    private var texts: [String: [String]] = [:]
    private let modules: Set<String>

    init() throws {
        let declaration = /(?:struct|class|enum|protocol|actor|extension|typealias)\s+([A-Z][A-Za-z0-9_.]*)/
        let folder = Self.root.appending(path: "Sources")
        self.modules = try Self.modules()
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            let names = text.matches(of: declaration).map { String($0.output.1.split(separator: ".").last ?? "") }
            for name in Set(names) { self.texts[name, default: []].append(text) }
        }
    }

    /// Whether the module `Module`, `Type`, `Type.member` or `Type.call(label:)` is there.
    func has(_ name: String) -> Bool {
        let call = name.firstIndex(of: "(")
        let path = (call.map { name[..<$0] } ?? name[...]).split(separator: ".").map(String.init)
        guard let last = path.last else { return false }
        if call == nil, last.first?.isUppercase == true {
            return self.texts[last] != nil || self.modules.contains(name)
        }
        guard path.count > 1, let texts = self.texts[path[path.count - 2]] else { return false }
        guard let call else { return texts.contains { Self.declares(last, in: $0) } }
        let labels = name[name.index(after: call)...].dropLast().split(separator: ":").map(String.init)
        return texts.contains { text in
            Self.signatures(of: last, in: text).contains { Self.isCall(labels, of: $0) }
        }
    }

    /// Parameters with a default may be left out.
    private static func isCall(_ labels: [String], of signature: [String]) -> Bool {
        var rest = signature[...]
        for label in labels {
            guard let place = rest.firstIndex(of: label) else { return false }
            rest = rest[(place + 1)...]
        }
        return true
    }

    private static func declares(_ name: String, in text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "`" }.map(String.init)
            guard let keyword = words.firstIndex(where: { ["var", "let", "func", "case"].contains($0) }) else {
                return false
            }
            return words[keyword] == "case"
                ? words[(keyword + 1)...].contains(name) : words.dropFirst(keyword + 1).first == name
        }
    }

    /// The labels of every function of a name.
    private static func signatures(of name: String, in text: String) -> [[String]] {
        let opening = name == "init" ? "init" : "func \(name)"
        var found: [[String]] = []
        var rest = text[...]
        while let place = rest.range(of: opening) {
            rest = rest[place.upperBound...]
            guard let start = rest.firstIndex(of: "("),
                rest.first == "(" || rest.first == "<" || rest.first == "?"
            else { continue }
            found.append(Self.labels(rest[start...]))
        }
        return found
    }

    private static func labels(_ text: Substring) -> [String] {
        var depth = 0
        var labels: [String] = []
        var current = ""
        for character in text {
            switch character {
            case "(", "[", "<": depth += 1
            case ")", "]": depth -= 1
            case ">": if current.last != "-" { depth -= 1 }
            case "," where depth == 1:
                labels.append(current)
                current = ""
                continue
            default: break
            }
            if depth == 0 { break }
            if !(depth == 1 && character == "(") { current.append(character) }
        }
        if !current.allSatisfy(\.isWhitespace) { labels.append(current) }
        return labels.compactMap { $0.split { $0.isWhitespace || $0 == ":" }.first.map(String.init) }
    }
}
