import Foundation
import Testing

/// Links between pages lead somewhere, and every page is linked from where people begin.
@Suite struct DocumentLinkTests {
    private struct Page {
        /// The path from the project's folder.
        let path: String
        let text: String

        /// What it links to, apart from other sites; code is passed over.
        var links: [String] {
            let prose = self.text.replacing(/(?s)```.*?```/, with: "").replacing(/`[^`\n]*`/, with: "")
            return prose.matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) }.filter { !$0.contains("://") }
        }

        /// The anchors of its headings, as GitHub makes them.
        var anchors: Set<String> {
            let text = self.text.replacing(/(?s)```.*?```/, with: "")
            return Set(
                text.matches(of: /(?m)^#{1,6} +(.+)$/).map { match in
                    String(
                        match.output.1.lowercased().compactMap { character -> Character? in
                            if character == " " { return "-" }
                            let isKept =
                                character.isLetter || character.isNumber || character == "-" || character == "_"
                            return isKept ? character : nil
                        })
                })
        }

        /// The path from the project's folder that a link means.
        func target(of link: String) -> String {
            let path = link.split(separator: "#", omittingEmptySubsequences: false).first.map(String.init) ?? ""
            guard !path.isEmpty else { return self.path }
            let folder = self.path.split(separator: "/").dropLast().map(String.init)
            var parts: [String] = []
            for part in folder + path.split(separator: "/").map(String.init) where part != "." {
                if part == ".." { _ = parts.popLast() } else { parts.append(part) }
            }
            return parts.joined(separator: "/")
        }
    }

    private static func pages() throws -> [Page] {
        var paths = ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
        for folder in ["Docs", "Plugins", "Benchmarks", "Tests"] {
            let names = try FileManager.default.subpathsOfDirectory(
                atPath: SourceIndex.root.appending(path: folder).path)
            paths += names.filter { $0.hasSuffix(".md") && !$0.contains("/.") }.map { "\(folder)/\($0)" }
        }
        return try paths.sorted().map {
            Page(path: $0, text: try String(contentsOf: SourceIndex.root.appending(path: $0), encoding: .utf8))
        }
    }

    @Test func everyLinkLeadsSomewhere() throws {
        let pages = try Self.pages()
        let byPath = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, $0) })
        #expect(pages.count > 25)
        var count = 0
        for page in pages {
            for link in page.links {
                count += 1
                let target = page.target(of: link)
                let isThere = FileManager.default.fileExists(atPath: SourceIndex.root.appending(path: target).path)
                #expect(isThere, "\(page.path) links to \(link)")
                let anchor = link.split(separator: "#", omittingEmptySubsequences: false).dropFirst().first.map(
                    String.init)
                if let anchor, let there = byPath[target] {
                    #expect(
                        there.anchors.contains(anchor), "\(page.path) links to \(link), and there is no such heading")
                }
            }
        }
        #expect(count > 40)
    }

    /// From the README, by way of CONTRIBUTING or another page.
    @Test func everyPageOfDocsCanBeReached() throws {
        let pages = try Self.pages()
        let byPath = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, $0) })
        var reached: Set<String> = []
        var next = ["README.md"]
        while let path = next.popLast() {
            guard reached.insert(path).inserted, let page = byPath[path] else { continue }
            next += page.links.map { page.target(of: $0) }
        }
        let lost = pages.map(\.path).filter { $0.hasPrefix("Docs/") && !reached.contains($0) }
        #expect(lost == [])
    }

    @Test func whatIsNotThereIsSeen() {
        let page = Page(path: "Docs/a.md", text: "# The first one!\n[b](../b.md#x) `[c](d)` [e](https://example.com)\n")
        #expect(page.links == ["../b.md#x"])
        #expect(page.target(of: "../b.md#x") == "b.md")
        #expect(page.target(of: "#x") == "Docs/a.md")
        #expect(page.anchors == ["the-first-one"])
    }
}
