import Foundation
import GatewayConfig
import GatewaySettings
import NamespaceHandlers
import Testing
import VirtualDevices

/// The deployments in `Docs/examples` are right as they are.
struct ExampleFilesTests {
    private static let folder = SourceIndex.root.appending(path: "Docs/examples")
    /// All but the one that is wrong on purpose.
    private static let files =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".yaml") && $0 != "broken.yaml" }.sorted()

    @Test func thereAreSome() {
        #expect(
            ["home.yaml", "hotel.yaml", "school.yaml", "test-lab.yaml", "twenty-screens.yaml", "two-vlans.yaml"]
                .allSatisfy(Self.files.contains))
    }

    @Test(arguments: files) func theyAreAccepted(_ name: String) {
        let result = GatewayConfiguration.load(
            path: Self.folder.appending(path: name).path, environment: [:], machine: MachineAddresses())
        #expect(result.report.text() == "")
    }

    @Test func twentyScreensFitIntoFortyLines() throws {
        let file = Self.folder.appending(path: "twenty-screens.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
        let result = GatewayConfiguration.load(path: file.path, environment: [:], machine: MachineAddresses())
        let configuration = try #require(result.configuration)
        #expect(configuration.virtualDevices.count == 20)
        #expect(Set(configuration.virtualDevices.map(\.listen)).count == 20)
        #expect(configuration.discovery.staticDevices.count == 20)
        #expect(!configuration.routing.rules.isEmpty)
    }
}
