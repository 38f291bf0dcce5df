package import GatewayOperations
import StateStore

/// The problem that callers get when the database of the outbox fails.
package enum OutboxProblem {
    package static func translating<Value>(
        _ body: () async throws -> Value
    ) async throws(OperationProblem) -> Value {
        do {
            return try await body()
        } catch {
            throw OperationProblem(
                "unavailable", status: 503, "the outbox cannot be read: \(DatabaseErrorText.words(error))")
        }
    }
}
