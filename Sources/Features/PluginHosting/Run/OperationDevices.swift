package import GatewayOperations
import Synchronization

/// Finds the devices that callers of plugins' operations mean, by the names that the gateway gives them.
package final class OperationDevices: Sendable {
    /// Gives the name of the device that a text means, when the caller may use it.
    package typealias Resolver = @Sendable (String, Caller) throws(OperationProblem) -> String

    private struct State {
        var resolver: Resolver?
    }

    private let state = Mutex(State())

    init() {}

    /// Says who knows the devices. Until then a text is taken for a name.
    package func attach(_ resolver: @escaping Resolver) { self.state.withLock { $0.resolver = resolver } }

    /// The name of the device that a text means.
    /// - Throws: ``OperationProblem`` for a device that is not known, or that the caller may not use.
    func name(of text: String, for caller: Caller) throws(OperationProblem) -> String {
        guard let resolver = self.state.withLock({ $0.resolver }) else {
            try caller.require(device: text)
            return text
        }
        return try resolver(text, caller)
    }
}
