import CastTransport
import CastWire
import CastwayTestSupport
import ControlAPI
import Foundation
import GatewayApp
import GatewayJournal
import GatewayMetrics
import GatewayOperations
import GatewaySettings
import PluginHosting
import Testing
import VirtualDevices

@Suite struct ReferenceDocumentTests {
    /// `make docs` writes the page from the schema; a key that changed and a page that did not is a mistake.
    @Test func theReferenceIsWhatTheSchemaSays() throws {
        let page = SourceIndex.root.appending(path: "Docs/gateway-yaml.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines)
                == GatewayConfiguration.referenceMarkdown().trimmingCharacters(in: .newlines))
    }

    @Test func theReferenceOfManifestsIsWhatTheirSchemaSays() throws {
        let page = SourceIndex.root.appending(path: "Docs/plugin-yaml.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines)
                == PluginManifest.referenceMarkdown().trimmingCharacters(in: .newlines))
    }

    @Test func theReferenceOfOperationsIsWhatTheirDeclarationsSay() throws {
        let page = SourceIndex.root.appending(path: "Docs/operations-reference.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines)
                == OperationReference.document(BuiltInOperations.all).trimmingCharacters(in: .newlines))
    }

    @Test func thePageOfLimitsIsWhatTheDeclarationsSayAndFits() throws {
        let page = SourceIndex.root.appending(path: "Docs/limits.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines)
                == LimitReference.document().trimmingCharacters(in: .newlines))
        // What is counted for peers, what is kept of events, and 128 MiB for the gateway itself.
        let journal = JournalLimits()
        let budget = PeerBudget(halfOf: LimitReference.unitMemory)
        #expect(budget.bytes + journal.history + journal.backlog + (128 << 20) <= LimitReference.unitMemory)
        // As many Cast senders as there may be fit in, each without anything but its connection.
        #expect(SenderLimits().connections.total * PeerCost.sender <= budget.share(of: .senders))
    }

    @Test func theReferenceOfMetricsIsWhatTheirDeclarationsSay() throws {
        let docs = SourceIndex.root.appending(path: "Docs")
        let text = try String(contentsOf: docs.appending(path: "metrics.md"), encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines)
                == MetricReference.document(MetricDeclaration.all).trimmingCharacters(in: .newlines))
        // What the page shows is what Prometheus accepts, and names only metrics that there are.
        let alerts = docs.appending(path: "examples/prometheus/castway-alerts.yaml")
        for arguments in [
            ["check", "rules", alerts.path],
            ["check", "config", docs.appending(path: "examples/prometheus/prometheus.yaml").path],
        ] {
            let verdict = try Promtool.run(arguments)
            #expect(verdict.isContent, "\(verdict.text)")
        }
        let rules = try String(contentsOf: alerts, encoding: .utf8)
        let known = Set(MetricDeclaration.all.map(\.name))
        for match in rules.matches(of: /\b(?:castway|process)_[a-z_]+/) where !match.output.hasSuffix("_bucket") {
            #expect(known.contains(String(match.output)), "\(match.output)")
        }
    }

    @Test func theReferenceOfErrorsIsWhatTheCodesSay() throws {
        let page = SourceIndex.root.appending(path: "Docs/errors.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines) == ErrorReference.document.trimmingCharacters(in: .newlines))
    }

    @Test func theReferenceOfEventsIsWhatTheirDeclarationsSay() throws {
        let page = SourceIndex.root.appending(path: "Docs/events-reference.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines)
                == EventReference.document(EventCatalogue.all).trimmingCharacters(in: .newlines))
    }

    /// Programs that are made from the documents, as the client in Python is, change only with what is declared.
    @Test func theDocumentsForProgramsHaveOneOrder() throws {
        let operations = BuiltInOperations.all
        let openAPI = OpenAPIDocument(operations, version: "1", takesTokens: true).text
        #expect(openAPI == OpenAPIDocument(operations.reversed(), version: "1", takesTokens: true).text)
        #expect(try JSONReader.read(openAPI).objectValue?.object("info")?.string("version") == "1")
        let asyncAPI = AsyncAPIDocument(EventCatalogue.all, version: "1").text
        #expect(asyncAPI == AsyncAPIDocument(EventCatalogue.all.reversed(), version: "1").text)
        #expect(try JSONReader.read(asyncAPI).objectValue?.object("info")?.string("version") == "1")
    }

    /// The file that `make run` starts with.
    @Test func theProjectsOwnFileIsRight() {
        let file = SourceIndex.root.appending(path: "gateway.yaml")
        let result = GatewayConfiguration.load(path: file.path, environment: [:])
        #expect(result.configuration?.virtualDevices.map(\.name) == ["bench", "lobby"])
        #expect(result.problems.isEmpty)
    }
}
