package import GatewayOperations
import NIOPosix

/// Does what blocks, as writing to the state database does, off the event loops.
package enum BlockingWork {
    /// Runs the work on a thread of the pool.
    /// - Throws: what the work throws; `unavailable` (503) while the gateway stops.
    package static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(OperationProblem) -> Value
    ) async throws(OperationProblem) -> Value {
        do {
            return try await NIOThreadPool.singleton.runIfActive(body)
        } catch let problem as OperationProblem {
            throw problem
        } catch {
            throw OperationProblem("unavailable", status: 503, "the gateway is stopping")
        }
    }
}
