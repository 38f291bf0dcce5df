import FeatureContract
import Foundation
import GatewayFixtures
import Testing

@testable import GatewayApp

/// The features in Docs/architecture.md are those of a gateway, in their order.
@Suite(.timeLimit(.minutes(1))) struct FeatureListTests {
    @Test func everyFeatureIsListed() async throws {
        let page = try String(contentsOf: SourceIndex.root.appending(path: "Docs/architecture.md"), encoding: .utf8)
        let table = try #require(page.split(separator: "| feature |").last?.split(separator: "\n\n").first)
        let listed = table.split(separator: "\n").dropFirst(2).compactMap { $0.firstMatch(of: /^\| ([^|]+) \|/)?.1 }
        try await RunningGateway.with(.hallAndOffice) { running in
            #expect(listed.map(String.init) == running.gateway.features.map(\.name))
        }
    }

    @Test func everyFeatureWithOperationsDeclaresThem() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            let types = GatewayFeatures.types.map { ObjectIdentifier($0) }
            for feature in running.gateway.features where !feature.operations.isEmpty {
                #expect(types.contains(ObjectIdentifier(type(of: feature))), "\(feature.name)")
            }
        }
    }
}
