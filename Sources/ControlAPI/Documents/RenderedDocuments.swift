import CastWire
import GatewayOperations
import NIOCore
import NIOPosix
import Synchronization

/// The documents of the catalogues as they are sent: made when they are first wanted, and kept.
final class RenderedDocuments: Sendable {
    /// What is sent.
    struct Texts: Sendable {
        let openAPI: ByteBuffer
        let asyncAPI: ByteBuffer
        let page: DocumentationPage
    }

    private let operations: OpenAPIDocument
    private let events: AsyncAPIDocument
    private let texts = Mutex<Texts?>(nil)

    init(_ operations: OpenAPIDocument, _ events: AsyncAPIDocument) {
        self.operations = operations
        self.events = events
    }

    /// The texts. Making them computes for a while, which a thread of its own does: an event loop may be the caller's.
    /// - Throws: When the process ends.
    func get() async throws -> Texts {
        // Held for long only by the one that makes them.
        if let texts = self.texts.withLockIfAvailable({ $0 }) ?? nil { return texts }
        return try await NIOThreadPool.singleton.runIfActive { self.make() }
    }

    /// Makes them, unless another caller has meanwhile.
    private func make() -> Texts {
        self.texts.withLock { texts in
            if let texts { return texts }
            let json = self.operations.json
            let made = Texts(
                openAPI: ByteBuffer(string: JSONValue.object(json).text + "\n"),
                asyncAPI: ByteBuffer(string: JSONValue.object(self.events.json).text + "\n"),
                page: DocumentationPage(json))
            texts = made
            return made
        }
    }
}
