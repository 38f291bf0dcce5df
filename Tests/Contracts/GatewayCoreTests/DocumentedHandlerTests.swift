import Foundation
import GatewayTesting
import Testing

/// The handler of `Docs/writing-a-handler.md`.
@Suite struct DocumentedHandlerTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The page shows a source file of these tests, letter by letter, so what it shows compiles.
    @Test func thePageShowsCodeThatCompiles() throws {
        let page = try String(contentsOf: Self.root.appending(path: "Docs/writing-a-handler.md"), encoding: .utf8)
        let code = try String(
            contentsOf: Self.root.appending(path: "Tests/Contracts/GatewayCoreTests/CounterHandler.swift"),
            encoding: .utf8)
        #expect(page.contains("```swift\n\(code)```"))
    }

    @Test func theShownHandlerConforms() {
        #expect(HandlerConformance(CounterHandler(), types: ["COUNT"]).violations().isEmpty)
    }
}
