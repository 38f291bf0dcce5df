import CastWire
public import GatewayOperations
import HTTPTypes
public import Hummingbird
import NIOCore

/// The documents made from the catalogues: `/openapi.json`, `/docs`, the same as a page, and `/asyncapi.json`.
///
/// They are made once, since the catalogues never change.
public struct DocumentRoutes: APIRoutes {
    /// Where they are.
    public let pages = ["/openapi.json", "/asyncapi.json", "/docs"]
    /// They say nothing of this gateway, but what every Castway of its version is.
    public let isOpen = true

    private let openAPI: ByteBuffer
    private let asyncAPI: ByteBuffer
    private let page: DocumentationPage

    /// Makes the documents.
    public init(_ document: OpenAPIDocument, _ events: AsyncAPIDocument) {
        let json = document.json
        self.openAPI = ByteBuffer(string: JSONValue.object(json).text + "\n")
        self.asyncAPI = ByteBuffer(string: JSONValue.object(events.json).text + "\n")
        self.page = DocumentationPage(json)
    }

    /// Adds the routes.
    public func add(to router: Router<CallerContext>) {
        let (openAPI, asyncAPI, page) = (self.openAPI, self.asyncAPI, self.page)
        router.get("/openapi.json") { _, _ in
            Self.response("application/json", ResponseBody(byteBuffer: openAPI))
        }
        router.get("/asyncapi.json") { _, _ in
            Self.response("application/json", ResponseBody(byteBuffer: asyncAPI))
        }
        router.get("/docs") { _, _ in
            let nonce = DocumentationPage.makeNonce()
            let pieces = page.html(nonce: nonce)
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
