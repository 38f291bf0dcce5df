import CastWire
import GatewayConfig
import GatewayOperations
import Hummingbird
import NIOCore
import Testing

@testable import ControlAPI

/// The page of operations.
@Suite struct DocumentRoutesTests {
    private struct Mark: GatewayOperation {
        struct Input: OperationInput {
            var thing = ""
            var depth = 1

            static let keys: [Key] = [
                .required("thing", \.thing, .text(), "Which <thing> & `how`", example: "lamp's"),
                Key("depth", \.depth, .integer(1...9), "How deep"),
            ]

            init(blank: ConfigBlank) {}
        }

        static let name: OperationName = "thing.mark"
        static let route = OperationRoute(.post, "/things/{thing}/mark")
        static let scope = OperationScope.control
        static let reach = OperationReach.anyone
        static let isCommand = true
        static let summary = "Marks <b>a thing</b>"
        static let result = OperationResult("What was marked", [.init("id", .text, "Its \"id\"")])
        static let problems = [OperationProblemCase("unknown_thing", 404, "there is no such thing")]

        func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject { [:] }
    }

    private static let page = DocumentationPage(
        OpenAPIDocument([OperationDeclaration(Mark.self)], version: "1 <2>", takesTokens: true).json)

    private static var html: String { Self.page.html(nonce: "n1").map { String(buffer: $0) }.joined() }

    @Test func thePageSaysWhatTheDocumentSays() {
        let html = Self.html
        for text in [
            "thing.mark", "/api/v1/things/{thing}/mark", "How deep", "whole number, 1 to 9", "unknown_thing",
            "<th scope=\"row\"><code>Idempotency-Key</code></th>", "<th scope=\"row\"><code>wait</code></th>",
            "$GATEWAY/api/v1/things/lamp&#39;s/mark",
        ] { #expect(html.contains(text), "\(text)") }
    }

    @Test func nothingIsMarkupThatTheDeclarationsSay() {
        let html = Self.html
        #expect(html.contains("Marks &lt;b&gt;a thing&lt;/b&gt;"))
        #expect(html.contains("Which &lt;thing&gt; &amp; <code>how</code>"))
        #expect(html.contains("1 &lt;2&gt;"))
        #expect(!html.contains("<b>a thing"))
    }

    /// The page needs nothing from elsewhere, and the browser is told so.
    @Test func nothingIsFetched() {
        let html = Self.html
        for text in ["<script", "src=", "@import", "url(", "<img", "<iframe"] {
            #expect(!html.contains(text), "\(text)")
        }
        #expect(html.contains("<style nonce=\"n1\">"))
        #expect(DocumentationPage.policy(nonce: "n1").hasPrefix("default-src 'none'; style-src 'nonce-n1';"))
        #expect(DocumentationPage.makeNonce() != DocumentationPage.makeNonce())
    }

    @Test(arguments: [
        ("/things/x/mark", ["GET", "HEAD"]), ("/api/v1/things/x/mark", ["POST"]), ("/api/v1/things//mark", []),
        ("/docs", ["GET", "HEAD"]), ("/docs/x", []), ("/", []), ("/things/first/mark", ["POST"]),
    ])
    func methodsOfPaths(path: String, methods: [String]) {
        let methodGuard = MethodGuard<BasicRequestContext>(
            operations: [Mark.route], pages: ["/docs", "/things/{thing}/mark"], forms: ["/things/first/mark"])
        #expect(methodGuard.methods(at: path) == methods)
    }

    @Test(arguments: [
        (nil, true), ("application/json", true), ("Application/JSON; charset=utf-8", true),
        ("application/problem+json", true), ("text/plain", false), ("application/x-www-form-urlencoded", false),
        ("", false), ("json", false), ("application/jsonp", false), ("text/x+json", false),
    ])
    func bodiesAreJSON(header: String?, isTaken: Bool) {
        #expect(((try? MediaType.requireJSON(header)) != nil) == isTaken)
    }
}
