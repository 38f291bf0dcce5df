import CastWire
import GatewayOperations
import NIOCore
import NIOPosix
import Synchronization

/// The documents of the catalogues as they are sent: made when they are first wanted, and kept as long as they hold.
final class RenderedDocuments: Sendable {
    /// What is sent.
    struct Texts: Sendable {
        let openAPI: ByteBuffer
        let asyncAPI: ByteBuffer
        let page: DocumentationPage
    }

    private struct State {
        /// Of the operations that are always there.
        var builtIn: Texts?
        /// Of all operations, with the number of the set of added ones.
        var all: (generation: Int, texts: Texts)?
    }

    private let catalogue: OperationCatalogue
    private let events: AsyncAPIDocument
    private let document: @Sendable ([OperationDeclaration]) -> OpenAPIDocument
    private let state = Mutex(State())

    init(
        _ catalogue: OperationCatalogue, _ events: AsyncAPIDocument,
        document: @escaping @Sendable ([OperationDeclaration]) -> OpenAPIDocument
    ) {
        self.catalogue = catalogue
        self.events = events
        self.document = document
    }

    /// Whether there are operations now that are not built in.
    var hasAdded: Bool { self.catalogue.added?.declarations.isEmpty == false }

    /// The texts. Making them computes for a while, which a thread of its own does: an event loop may be the caller's.
    /// - Parameter all: with the operations that have been added.
    /// - Throws: When the process ends.
    func get(all: Bool) async throws -> Texts {
        let added = all ? self.catalogue.added?.current : nil
        guard let added, !added.declarations.isEmpty else {
            // Held for long only by the one that makes them.
            if let texts = self.state.withLockIfAvailable({ $0.builtIn }) ?? nil { return texts }
            return try await NIOThreadPool.singleton.runIfActive { self.makeBuiltIn() }
        }
        let known = self.state.withLockIfAvailable { $0.all } ?? nil
        if let known, known.generation == added.generation { return known.texts }
        return try await NIOThreadPool.singleton.runIfActive { self.make(added.generation, added.declarations) }
    }

    /// Makes them, unless another caller has meanwhile.
    private func makeBuiltIn() -> Texts {
        self.state.withLock { state in
            if let texts = state.builtIn { return texts }
            let made = self.make(self.catalogue.declarations)
            state.builtIn = made
            return made
        }
    }

    private func make(_ generation: Int, _ added: [OperationDeclaration]) -> Texts {
        self.state.withLock { state in
            if let known = state.all, known.generation == generation { return known.texts }
            let made = self.make(self.catalogue.declarations + added)
            state.all = (generation, made)
            return made
        }
    }

    private func make(_ declarations: [OperationDeclaration]) -> Texts {
        let json = self.document(declarations).json
        return Texts(
            openAPI: ByteBuffer(string: JSONValue.object(json).text + "\n"),
            asyncAPI: ByteBuffer(string: JSONValue.object(self.events.json).text + "\n"), page: DocumentationPage(json))
    }
}
