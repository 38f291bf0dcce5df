import CastWire
import Foundation
import GatewayApp
import GatewayJournal
import GatewayOperations
import PluginHosting
import Testing
import VirtualDevices

@Suite struct ReferenceDocumentTests {
    /// `make docs` writes the page from the schema; a key that changed and a page that did not is a mistake.
    @Test func theReferenceIsWhatTheSchemaSays() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs/gateway-yaml.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines)
                == GatewayConfiguration.referenceMarkdown().trimmingCharacters(in: .newlines))
    }

    @Test func theReferenceOfManifestsIsWhatTheirSchemaSays() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs/plugin-yaml.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines)
                == PluginManifest.referenceMarkdown().trimmingCharacters(in: .newlines))
    }

    @Test func theReferenceOfOperationsIsWhatTheirDeclarationsSay() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs/operations-reference.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines)
                == OperationReference.document(BuiltInOperations.all).trimmingCharacters(in: .newlines))
    }

    @Test func theReferenceOfEventsIsWhatTheirDeclarationsSay() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs/events-reference.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines)
                == EventReference.document(EventCatalogue.all).trimmingCharacters(in: .newlines))
    }

    /// The version is that of the program, which this test does not have.
    @Test func theOpenAPIDocumentIsWhatTheDeclarationsSay() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs/openapi.json")
        let text = try String(contentsOf: page, encoding: .utf8)
        let version = try #require(try JSONReader.read(text).objectValue?.object("info")?.string("version"))
        #expect(text == OpenAPIDocument(BuiltInOperations.all, version: version, takesTokens: true).text)
        #expect(text == OpenAPIDocument(BuiltInOperations.all.reversed(), version: version, takesTokens: true).text)
    }

    /// The file that `make run` starts with.
    @Test func theProjectsOwnFileIsRight() {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "gateway.yaml")
        let result = GatewayConfiguration.load(path: file.path, environment: [:])
        #expect(result.configuration?.virtualDevices.map(\.name) == ["bench", "lobby"])
        #expect(result.problems.isEmpty)
    }
}
