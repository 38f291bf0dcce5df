import Foundation
import Testing

/// What the tables of features name is there: every `Type`, `Type.member` and `Type.function(label:)`.
struct FeatureTableTests {
    /// The names that each source file declares.
    private static let declared: [Set<Substring>] = {
        let files = FileManager.default.enumerator(
            at: Self.root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .compactMap { try? String(contentsOf: $0, encoding: .utf8) }.map(Self.names)
    }()

    private static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path + "/Package.swift") {
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    private static let keywords: Set<Substring> = [
        "class", "struct", "enum", "protocol", "extension", "typealias", "func", "var", "let", "case",
    ]

    /// The names behind keywords, and all further ones of a line that lists cases.
    private static func names(in text: String) -> Set<Substring> {
        var names = Set<Substring>()
        for line in text.split(separator: "\n") {
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            guard let first = words.firstIndex(where: { Self.keywords.contains($0) }) else { continue }
            if words[first] == "case" {
                names.formUnion(words[first...])
            } else if first + 1 < words.endIndex {
                names.insert(words[first + 1])
            }
        }
        return names
    }

    /// Whether a file that declares or extends the type declares the member too.
    private static func exists(_ name: String) -> Bool {
        let parts = name.prefix { $0 != "(" }.split(separator: ".")
        return Self.declared.contains { names in parts.allSatisfy { names.contains($0) } }
    }

    @Test(arguments: [("sessions", 79), ("discovery", 47)]) func everyNameExists(table: String, count: Int) throws {
        let text = try String(contentsOf: Self.root.appending(path: "Docs/features-\(table).md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.dropFirst(2).first?.isNumber == true }
        #expect(rows.count == count)
        for row in rows {
            let code = row.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            for (_, name) in code where name.first?.isUppercase == true && !name.contains(" ") && !name.contains("|") {
                #expect(Self.exists(String(name)), "\(name)")
            }
        }
    }

    @Test func aNameThatIsNotThereIsMissed() {
        #expect(Self.exists("SessionStore.load()"))
        #expect(!Self.exists("SessionStore.nothing(of:)"))
        #expect(!Self.exists("NoSuchThing"))
    }
}
