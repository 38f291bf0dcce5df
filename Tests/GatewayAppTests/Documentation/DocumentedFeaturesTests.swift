import Foundation
import Testing

/// The tables of features say which type or call has them; a name that changed and a page that did not is a mistake.
@Suite struct DocumentedFeaturesTests {
    /// The rows of the feature list that the pages have to have between them: groups A to D and F to L.
    private static let expected = Set(1...151).union(170...376)

    private static func pages() throws -> [(name: String, rows: [[String]])] {
        let folder = SourceIndex.root.appending(path: "Docs")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasPrefix("features-") && $0.hasSuffix(".md")
        }
        return try names.sorted().map { name in
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            let rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
                line.dropFirst().split(separator: "|", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
            }
            return (name, rows.filter { $0.first.flatMap { Int($0) } != nil })
        }
    }

    @Test func everyNameExists() throws {
        let index = try SourceIndex()
        let code = /`([^`]+)`/
        for page in try Self.pages() {
            #expect(!page.rows.isEmpty, "\(page.name) has no rows")
            for row in page.rows where row.count > 2 {
                for span in row[2].matches(of: code).map({ String($0.output.1) }) {
                    // Commands, keys of the configuration and words of the protocol are no names of types.
                    guard span.first?.isUppercase == true, !span.contains(" "), !span.contains("_"),
                        !span.contains("/"),
                        span.contains(where: \.isLowercase)
                    else { continue }
                    let isThere = index.has(span)
                    #expect(isThere, "\(page.name), row \(row[0]): \(span)")
                }
            }
        }
    }

    @Test func everyRowIsThere() throws {
        var all = Set<Int>()
        for page in try Self.pages() {
            let numbers = page.rows.compactMap { Int($0[0]) }
            #expect(Set(numbers).count == numbers.count, "\(page.name) has a row twice")
            all.formUnion(numbers)
        }
        #expect(Self.expected.subtracting(all).sorted() == [])
    }

    @Test func aNameThatIsNotThereIsSeen() throws {
        let index = try SourceIndex()
        let found = ["MediaCommand.seek(to:then:)", "MediaCommand.seek(past:)", "MediaCommand.fly", "Dragon"].map(
            index.has)
        #expect(found == [true, false, false, false])
    }
}
