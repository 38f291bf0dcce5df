import Foundation
import GatewayConfig
import GatewaySettings
import Testing

/// The tables of features say which type or call has them; a name that changed and a page that did not is a mistake.
@Suite struct DocumentedFeaturesTests {
    /// The rows of the feature list that the pages have to have between them: groups A to D, F to L, and N.
    private static let expected = Set(1...151).union(170...376).union(461...487)

    private static func pages() throws -> [(name: String, rows: [[String]])] {
        let folder = SourceIndex.root.appending(path: "Docs/contributing")
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

    /// The last column says how a user reaches a feature, in the words of `features.md`.
    @Test func everyRowHasItsWayIn() throws {
        let ways: Set = ["file", "command", "Cast", "admin", "plugin", "log", "pages", "events"]
        for page in try Self.pages() {
            for row in page.rows {
                #expect(row.count == 5 && row[4].isEmpty, "\(page.name), row \(row[0]) has \(row.count - 1) cells")
                guard row.count == 5, !["none", "code only", "not applicable"].contains(row[3]) else { continue }
                let words = row[3].trimmingPrefix("in part: ").split(separator: ", ").map(String.init)
                #expect(
                    !words.isEmpty && Set(words).isSubset(of: ways), "\(page.name), row \(row[0]): '\(row[3])'")
            }
        }
    }

    /// Keys of the configuration are there, as they are written.
    @Test func everyKeyExists() throws {
        var count = 0
        for page in try Self.pages() {
            for row in page.rows where row.count > 2 {
                for span in row[2].matches(of: /`([a-z_]+(?:\[\])?(?:\.[A-Za-z_]+(?:\[\])?)+)`/).map({
                    String($0.output.1)
                }) {
                    let parts = span.replacing("[]", with: "").split(separator: ".").map(String.init)
                    // Events, methods and members of messages are written like this too.
                    guard let first = parts.first, Self.names(in: GatewayConfiguration.schema).contains(first)
                    else { continue }
                    count += 1
                    #expect(
                        Self.has(parts[...], in: GatewayConfiguration.schema), "\(page.name), row \(row[0]): \(span)")
                }
            }
        }
        #expect(count > 20)
        #expect(!Self.has(["launch", "credential"], in: GatewayConfiguration.schema))
    }

    private static func names(in schema: ConfigSchema) -> Set<String> {
        guard case .object(let fields) = schema.kind else { return [] }
        return Set(fields.map(\.name))
    }

    /// Whether a way of names leads through a schema; the keys of a mapping of the operator's may have any name.
    private static func has(_ path: ArraySlice<String>, in schema: ConfigSchema) -> Bool {
        guard let first = path.first else { return true }
        switch schema.kind {
        case .object(let fields):
            return fields.contains { $0.name == first && Self.has(path.dropFirst(), in: $0.schema) }
        case .map(_, let value): return Self.has(path.dropFirst(), in: value)
        case .openObject(let fields, _, let value):
            return Self.has(path, in: .object(fields)) || Self.has(path.dropFirst(), in: value)
        case .list(let element, _): return Self.has(path, in: element)
        case .oneOf(let choices): return choices.contains { Self.has(path, in: $0) }
        default: return false
        }
    }

    @Test func aNameThatIsNotThereIsSeen() throws {
        let index = try SourceIndex()
        let found = ["MediaCommand.seek(to:then:)", "MediaCommand.seek(past:)", "MediaCommand.fly", "Dragon"].map(
            index.has)
        #expect(found == [true, false, false, false])
    }
}
