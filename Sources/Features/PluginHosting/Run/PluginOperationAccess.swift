import CastWire
import GatewayCore
package import GatewayOperations
import PluginKit
import SystemPrimitives

/// Has operations of the gateway done for plugins. The catalogue knows the plugins' own operations, so it comes later than they.
package final class PluginOperationAccess: Sendable {
    private let catalogue = Current<OperationCatalogue?>(nil)

    init() {}

    /// Says what there is.
    package func attach(_ catalogue: OperationCatalogue) { self.catalogue.set(catalogue) }

    /// Has an operation done for a plugin.
    /// - Parameters:
    ///   - depth: how many operations that plugins do led to it.
    ///   - cause: the message of an internal sender that led to it; nil for none.
    /// - Throws: ``PluginRPCError`` whose data is the problem.
    func call(
        _ call: GatewayCall, for instance: PluginInstance, depth: Int, after cause: MessageOrigin?
    ) async throws(PluginRPCError) -> GatewayCallResult {
        guard let catalogue = self.catalogue.value else {
            throw PluginRPCError(.notReady, "the gateway starts")
        }
        guard let name = OperationName(call.operation) else {
            throw PluginRPCError(.invalidParameters, "'\(call.operation.cut(to: 64))' is no name of an operation")
        }
        guard !name.rawValue.hasPrefix("\(instance.name).") else {
            throw PluginRPCError(.invalidParameters, "'\(name)' is the plugin's own")
        }
        var options = CallOptions()
        options.wait = call.wait
        options.idempotencyKey = call.idempotencyKey
        let outcome = await OperationDepth.$current.withValue(depth) {
            await MessageCause.$current.withValue(cause) {
                await catalogue.call(name, call.input, for: instance.caller, options: options)
            }
        }
        switch outcome {
        case .success(let answer): return GatewayCallResult(status: answer.status, result: answer.body)
        case .failure(let problem): throw PluginRPCError(problem)
        }
    }
}

extension PluginInstance {
    package var caller: Caller {
        Caller(
            name: "plugin:\(self.name)", scopes: Set(self.scopes),
            devices: self.operationDevices?.map { DevicePattern($0) }, plugin: self.name)
    }
}

extension PluginRPCError {
    /// A problem of an operation on the plugin wire; the data is the problem as other callers get it.
    fileprivate init(_ problem: OperationProblem) {
        let code: PluginErrorCode =
            switch problem.status {
            case 403: .notGranted
            case 404: .unknownTarget
            case 400, 422: .invalidParameters
            case 413: .tooLarge
            case 429, 503: .busy
            case 504: .deadline
            default: .operationFailed
            }
        self.init(code, problem.detail, data: .object(problem.json))
    }
}
