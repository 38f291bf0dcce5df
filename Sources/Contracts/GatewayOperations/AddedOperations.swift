package import CastWire
import GatewayConfig
import Synchronization

/// An operation that is declared while the gateway runs: one of a plugin's.
package struct AddedOperation: Sendable {
    /// What it is; its fields check every input.
    package let declaration: OperationDeclaration
    let perform: @Sendable (JSONObject, Caller) async -> OperationCatalogue.Outcome

    /// Describes an operation.
    /// - Parameter perform: does it. The input has been checked against the declaration's fields; defaults are not filled in.
    package init(
        _ declaration: OperationDeclaration,
        perform: @escaping @Sendable (JSONObject, Caller) async -> OperationCatalogue.Outcome
    ) {
        self.declaration = declaration
        self.perform = perform
    }
}

/// The operations that are there beside the built-in ones, and that come and go with reloads. All catalogues of a gateway share one.
package final class AddedOperations: Sendable {
    private struct State {
        var operations: [OperationName: AddedOperation] = [:]
        var generation = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Says which operations there are from now on; of two with one name the first counts.
    package func replace(with operations: [AddedOperation]) {
        let named = Dictionary(operations.map { ($0.declaration.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.state.withLock { state in
            state.operations = named
            state.generation += 1
        }
    }

    package var declarations: [OperationDeclaration] { self.current.declarations }

    /// The declarations by name, with a number that another set of operations does not have.
    package var current: (generation: Int, declarations: [OperationDeclaration]) {
        let (generation, operations) = self.state.withLock { ($0.generation, $0.operations) }
        return (
            generation, operations.values.map(\.declaration).sorted { $0.name.rawValue < $1.name.rawValue }
        )
    }

    func operation(_ name: OperationName) -> AddedOperation? { self.state.withLock { $0.operations[name] } }
}

/// How deep operations are in calls of operations, so that plugins that call each other come to an end.
package enum OperationDepth {
    /// How many calls led to the one that is carried out here.
    @TaskLocal package static var current = 0
    /// The most there may be.
    package static let limit = 8
}
