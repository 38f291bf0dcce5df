import CastWire
import CastwayTestSupport
import Foundation
import Testing

/// The pages as `make install` puts them in place: nothing of the sources lies beside them.
@Suite(.timeLimit(.minutes(2))) struct InstalledDocumentsTests {
    private static func install(in folder: TemporaryFolder) async throws -> [String] {
        let script = ReadmeTour.root.appending(path: "Scripts/install-docs.sh").path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let result = await
            (try CastwayProcess(
                [folder.file("castway"), script], environment: ["PATH": path],
                through: ["/bin/bash", "-c", "\"$2\" \"$1\" \"$0\""]))
            .result()
        #expect(result.status == 0 && result.errors == "", "\(result)")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.file("castway")).sorted()
    }

    @Test func everyLinkLeadsSomewhere() async throws {
        let folder = try TemporaryFolder()
        let paths = try await Self.install(in: folder)
        let pages = paths.filter { $0.hasSuffix(".md") }
        #expect(pages.count > 50 && !paths.contains { $0.contains("/.") || $0.contains("__pycache__") })
        for name in ["openapi", "asyncapi"] {
            let document = try JSONReader.read(try folder.read("castway/Docs/\(name).json")).objectValue
            #expect(document?.string(name) != nil, "\(name)")
        }
        var count = 0
        for page in pages {
            let text = try folder.read("castway/\(page)")
            let prose = text.replacing(/(?s)```.*?```/, with: "").replacing(/`[^`\n]*`/, with: "")
            let place = URL(filePath: folder.file("castway/\(page)")).deletingLastPathComponent()
            for match in prose.matches(of: /\]\(([^)\s]+)\)/) {
                let link = match.output.1
                guard !link.contains("://"), !link.hasPrefix("#"), let target = link.split(separator: "#").first else {
                    continue
                }
                count += 1
                let path = place.appending(path: String(target)).standardized.path
                let isThere = FileManager.default.fileExists(atPath: path) && path.hasPrefix(folder.path)
                #expect(isThere, "\(page) links to \(link)")
            }
        }
        #expect(count > 100)
    }

    /// Where they lie, with what they name beside them.
    @Test func theExamplesAreRightAsTheyAreInstalled() async throws {
        let folder = try TemporaryFolder()
        let paths = try await Self.install(in: folder)
        let files = paths.filter {
            $0.hasPrefix("Docs/examples/") && $0.hasSuffix(".yaml") && !$0.contains("/prometheus/")
                && !["broken.yaml", "plugin.yaml"].contains(URL(filePath: $0).lastPathComponent)
        }
        #expect(files.count > 14)
        try FileManager.default.createDirectory(atPath: folder.file("work"), withIntermediateDirectories: true)
        for file in files {
            let checked = try await CastwayProcess(
                ["check", folder.file("castway/\(file)")],
                environment: [
                    "CREDENTIALS_DIRECTORY": folder.file("work"), "CASTWAY_STATE_DIR": folder.file("work"),
                    "WEBHOOK_SECRET": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
                ],
                folder: folder.file("work")
            ).result()
            #expect([0, 2].contains(checked.status), "\(file): \(checked.errors)\(checked.output)")
        }
    }
}
