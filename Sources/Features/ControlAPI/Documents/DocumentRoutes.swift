package import GatewayOperations
import HTTPTypes
package import Hummingbird
import NIOCore

/// The documents made from the catalogues: `/openapi.json`, `/docs`, the same as a page, and `/asyncapi.json`.
///
/// They are made when the first of them is asked for: most gateways never are. Those of the built-in operations are the same for every
/// Castway of the version, and open to all. Operations of plugins say something of this gateway, so they are shown to callers that may
/// read; such documents are made anew when a reload has changed them.
package struct DocumentRoutes: APIRoutes {
    /// Where they are.
    package let pages = ["/openapi.json", "/asyncapi.json", "/docs"]
    /// Without a known caller they say nothing of this gateway, but what every Castway of its version is.
    package let isOpen = true

    private let documents: RenderedDocuments
    private let identity: CallerGate.Identity

    /// Describes the documents of a catalogue.
    /// - Parameters:
    ///   - authority: tells who a caller is; nil where all who reach the listener may see everything.
    ///   - document: makes the document of some operations.
    package init(
        _ catalogue: OperationCatalogue, _ events: AsyncAPIDocument, authority: (any CallerAuthority)?,
        document: @escaping @Sendable ([OperationDeclaration]) -> OpenAPIDocument
    ) {
        self.documents = RenderedDocuments(catalogue, events, document: document)
        self.identity = authority.map { .authority($0) } ?? .all(.admin)
    }

    /// Whether a request is shown the operations of plugins.
    private func showsAll(_ request: Request, _ context: CallerContext) -> Bool {
        guard self.documents.hasAdded, let caller = try? self.identity.caller(request, context) else { return false }
        return caller.scopes.contains(.read) && caller.devices == nil
    }

    package func add(to router: Router<CallerContext>) {
        let documents = self.documents
        router.get("/openapi.json") { request, context in
            let texts = try await documents.get(all: self.showsAll(request, context))
            return Self.response("application/json", ResponseBody(byteBuffer: texts.openAPI))
        }
        router.get("/asyncapi.json") { _, _ in
            Self.response("application/json", ResponseBody(byteBuffer: try await documents.get(all: false).asyncAPI))
        }
        router.get("/docs") { request, context in
            let nonce = DocumentationPage.makeNonce()
            let pieces = try await documents.get(all: self.showsAll(request, context)).page.html(nonce: nonce)
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
