public import GatewayOperations
import HTTPTypes
public import Hummingbird
import NIOCore

/// The documents made from the catalogues: `/openapi.json`, `/docs`, the same as a page, and `/asyncapi.json`.
///
/// They are made once, since the catalogues never change, and when the first of them is asked for: most gateways never are.
public struct DocumentRoutes: APIRoutes {
    /// Where they are.
    public let pages = ["/openapi.json", "/asyncapi.json", "/docs"]
    /// They say nothing of this gateway, but what every Castway of its version is.
    public let isOpen = true

    private let documents: RenderedDocuments

    /// Describes the documents.
    public init(_ document: OpenAPIDocument, _ events: AsyncAPIDocument) {
        self.documents = RenderedDocuments(document, events)
    }

    /// Adds the routes.
    public func add(to router: Router<CallerContext>) {
        let documents = self.documents
        router.get("/openapi.json") { _, _ in
            Self.response("application/json", ResponseBody(byteBuffer: try await documents.get().openAPI))
        }
        router.get("/asyncapi.json") { _, _ in
            Self.response("application/json", ResponseBody(byteBuffer: try await documents.get().asyncAPI))
        }
        router.get("/docs") { _, _ in
            let nonce = DocumentationPage.makeNonce()
            let pieces = try await documents.get().page.html(nonce: nonce)
            let length = pieces.reduce(0) { $0 + $1.readableBytes }
            let body = ResponseBody(contentLength: length) { writer in
                for piece in pieces { try await writer.write(piece) }
                try await writer.finish(nil)
            }
            var response = Self.response("text/html; charset=utf-8", body)
            response.headers[.contentSecurityPolicy] = DocumentationPage.policy(nonce: nonce)
            return response
        }
    }

    private static func response(_ type: String, _ body: ResponseBody) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "no-cache", .xContentTypeOptions: "nosniff"],
            body: body)
    }
}
