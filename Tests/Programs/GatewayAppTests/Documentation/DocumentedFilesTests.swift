import Foundation
import Testing

/// Every file that a page names in backticks exists.
@Suite struct DocumentedFilesTests {
    /// The folders and files of the project's own folder, and the modules: what a path in a page begins with.
    private let beginnings: Set<String>
    /// The folders of the layers, in which paths of modules begin.
    private let layers: [URL]
    /// The name of every file with sources.
    private let names: Set<String>

    init() throws {
        let files = FileManager.default
        let root = SourceIndex.root
        self.layers = try SourceIndex.layers()
        let top = try files.contentsOfDirectory(atPath: root.path)
        self.beginnings = Set(top.filter { !$0.hasPrefix(".") || $0 == ".ci" }).union(try SourceIndex.modules())
        self.names = try ["Sources", "Tests", "Plugins", "Benchmarks"].reduce(into: Set(top)) { names, folder in
            let paths = try files.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            names.formUnion(paths.map { URL(filePath: $0).lastPathComponent })
        }
    }

    /// The paths in backticks. A part in capitals (`TARGET`) stands for any, so what has one is passed over.
    private func paths(in text: String) -> [String] {
        text.replacing(/(?s)```.*?```/, with: "").matches(of: #/`([A-Za-z.][\w.+-]*(?:/[\w.+-]+)*/?)`/#)
            .map { String($0.output.1) }
            .filter { path in
                let parts = path.split(separator: "/").map(String.init)
                guard !parts.contains(where: { $0.contains(/^[A-Z]{3,}(\.txt)?$/) }) else { return false }
                return parts.count > 1 ? self.beginnings.contains(parts[0]) : path.hasSuffix(".swift")
            }
    }

    private func exists(_ path: String, from page: String) -> Bool {
        guard path.contains("/") else { return self.names.contains(path) }
        let folders = ["", URL(filePath: page).deletingLastPathComponent().relativePath]
        return (folders.map { SourceIndex.root.appending(path: $0) } + self.layers).contains { folder in
            FileManager.default.fileExists(atPath: folder.appending(path: path).path)
        }
    }

    /// The guide to a first handler is left out: its files are those that the reader writes.
    private static func pages() throws -> [String] {
        let docs = try FileManager.default.subpathsOfDirectory(atPath: SourceIndex.root.appending(path: "Docs").path)
        return ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
            + docs.filter { $0.hasSuffix(".md") && $0 != "your-first-handler.md" }.map { "Docs/\($0)" }
    }

    @Test func everyFileThatAPageNamesExists() throws {
        var count = 0
        for page in try Self.pages() {
            let text = try String(contentsOf: SourceIndex.root.appending(path: page), encoding: .utf8)
            for path in self.paths(in: text) {
                count += 1
                #expect(self.exists(path, from: page), "\(page) names \(path)")
            }
        }
        #expect(count > 60)
    }

    @Test func aFileThatDoesNotExistIsFound() {
        let text =
            "`GatewayCore/Routing/Gone.swift`, `Gone.swift`, `Scripts/gone.sh`, `text/plain`, `Tests/NAME/x.swift`"
        let paths = self.paths(in: text)
        #expect(paths == ["GatewayCore/Routing/Gone.swift", "Gone.swift", "Scripts/gone.sh"])
        #expect(paths.allSatisfy { !self.exists($0, from: "README.md") })
        #expect(self.exists("Scripts/lint.sh", from: "README.md"))
    }
}
