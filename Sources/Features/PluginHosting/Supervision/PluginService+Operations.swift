package import CastWire
import GatewayConfig
import GatewayCore
package import GatewayOperations
import Logging
import NIOCore
import PluginKit
import Synchronization
import SystemPrimitives

extension PluginFleet {
    /// The operations that the plugins of a configuration offer: each has the plugin do it that runs under the name when it is called.
    package func operations(of configuration: PluginsConfiguration) -> [AddedOperation] {
        configuration.instances.flatMap { instance in
            instance.offeredOperations.compactMap { operation in
                operation.declaration(of: instance.name).map { declaration in
                    AddedOperation(declaration) { [weak self] input, caller in
                        guard let service = self?[instance.name] else {
                            return .failure(.unavailable("the plugin '\(instance.name)' is gone"))
                        }
                        return await service.operate(operation, declaration, input, for: caller)
                    }
                }
            }
        }
    }
}

extension PluginService {
    /// The most that an input may have, in bytes, and that an answer may.
    static let operationLimit = 256 << 10
    /// The number of objects and lists that may lie in each other in an answer.
    static let operationDepth = 32

    /// Has the plugin do one of its operations.
    /// - Parameter input: as the caller sent it, checked against the manifest's keys.
    func operate(
        _ operation: PluginOperation, _ declaration: OperationDeclaration, _ input: JSONObject, for caller: Caller
    ) async -> OperationCatalogue.Outcome {
        do throws(OperationProblem) {
            let call = try self.call(operation, input, for: caller)
            let answer = try await self.answer(to: call, operation)
            try self.check(answer, declaration)
            return .success(OperationAnswer(status: declaration.result.status, answer))
        } catch {
            return .failure(error)
        }
    }

    /// Asks the plugin for something that it provides, by a call that no caller of the gateway can make.
    /// - Parameter what: `queue.next_items`, for example; no operation of a manifest has a point in its name.
    /// - Throws: ``OperationProblem``.
    package func provide(
        _ what: String, _ input: JSONObject, within time: Duration
    ) async throws(OperationProblem) -> JSONObject {
        var operation = PluginOperation(what, what)
        operation.deadline = time
        let call = OperationCall(
            id: self.context.operationNumbers.next(), operation: what, input: input,
            caller: OperationCall.Caller(name: "gateway"), deadline: time)
        let answer = try await self.answer(to: call, operation)
        let value = JSONValue.object(answer)
        guard value.text.utf8.count <= Self.operationLimit, value.isNested(atMost: Self.operationDepth) else {
            throw OperationProblem(
                "plugin_answer_invalid", status: 502, "the plugin '\(self.name)' answered too much to '\(what)'")
        }
        return answer
    }

    private func call(
        _ operation: PluginOperation, _ input: JSONObject, for caller: Caller
    ) throws(OperationProblem) -> OperationCall {
        var complete = input
        operation.fillIn(&complete)
        let named = try self.resolveDevices(of: operation, in: &complete, for: caller)
        if caller.devices != nil, !named {
            throw OperationProblem(
                "device_not_allowed", status: 403,
                "'\(self.name).\(operation.name)' without a device is not for callers that are limited to devices")
        }
        guard JSONValue.object(complete).text.utf8.count <= Self.operationLimit else {
            throw OperationProblem(
                "input_too_large", status: 413, "the input has more than \(Self.operationLimit) bytes")
        }
        return OperationCall(
            id: self.context.operationNumbers.next(), operation: operation.name, input: complete,
            caller: OperationCall.Caller(name: caller.name, scopes: caller.scopes.map(\.rawValue).sorted()),
            deadline: operation.deadline, request: CommandTrace.current?.request)
    }

    /// Puts the names of devices in the place of what the caller calls them.
    /// - Returns: whether any is named.
    /// - Throws: for a device that is not known, or that the caller may not use.
    private func resolveDevices(
        of operation: PluginOperation, in input: inout JSONObject, for caller: Caller
    ) throws(OperationProblem) -> Bool {
        var isAnyNamed = false
        for key in operation.input where key.kind == .device {
            guard let value = input[key.name] else { continue }
            var names: [JSONValue] = []
            for device in value.arrayValue ?? [value] {
                names.append(.string(try self.context.operationDevices.name(of: device.stringValue ?? "", for: caller)))
            }
            isAnyNamed = isAnyNamed || !names.isEmpty
            input[key.name] = value.arrayValue == nil ? names.first : .array(names)
        }
        return isAnyNamed
    }

    private func answer(
        to call: OperationCall, _ operation: PluginOperation
    ) async throws(OperationProblem) -> JSONObject {
        let run = self.state.withLock { $0.run }
        guard self.isReady, let connection = run?.connection else {
            throw .unavailable("the plugin '\(self.name)' does not run now; it is \(self.pluginState.rawValue)")
        }
        let trace = CommandTrace.current
        let depth = OperationDepth.current
        connection.depths.began(call.id, at: depth, after: MessageCause.current)
        defer { connection.depths.ended(call.id) }
        do {
            return try await connection.operate(call, onSent: { trace?.sent() }) { progress in
                trace?.progressed(
                    CommandProgress(fraction: progress.fraction, text: progress.text?.cut(to: 256)))
            }
        } catch {
            throw self.problem(of: error, operation)
        }
    }

    private func problem(of error: any Error, _ operation: PluginOperation) -> OperationProblem {
        switch error {
        case let error as PluginRPCError: return self.problem(of: error, operation)
        case let error as GatewayError where error.code == .handlerTimedOut:
            return error.reason == "cancelled"
                ? OperationProblem("cancelled", status: 503, "the call was taken back")
                : OperationProblem(
                    "timeout", status: 504, "the plugin '\(self.name)' did not do it in \(operation.deadline)")
        case let error as GatewayError: return .unavailable("the plugin '\(self.name)': \(error.reason)")
        case let fault as PluginLineFault:
            return OperationProblem(
                "plugin_answer_invalid", status: 502, "the answer of the plugin '\(self.name)' is none: \(fault.reason)"
            )
        default: return OperationProblem("plugin_failed", status: 502, "the plugin '\(self.name)' failed")
        }
    }

    private func problem(of error: PluginRPCError, _ operation: PluginOperation) -> OperationProblem {
        let text = error.message.cut(to: 512)
        guard let failure = OperationFailure(error) else {
            if error.code == .notReady || error.code == .busy {
                return .unavailable("the plugin '\(self.name)': \(text)")
            }
            return OperationProblem(
                "plugin_failed", status: 502, "the plugin '\(self.name)' failed: \(text)",
                members: ["cause": .string(error.code.name)])
        }
        guard let declared = operation.problems.first(where: { $0.code == failure.code }) else {
            return OperationProblem(
                "plugin_failed", status: 502, "the plugin '\(self.name)' failed: \(text)",
                members: ["cause": .string(failure.code.cut(to: 64))])
        }
        let members = JSONValue.object(failure.members)
        let isFit = members.text.utf8.count <= Self.operationLimit && members.isNested(atMost: Self.operationDepth)
        return OperationProblem(
            declared.code, status: declared.status, text.isEmpty ? declared.meaning : text,
            members: isFit ? failure.members : [:])
    }

    /// - Throws: what is wrong with an answer.
    private func check(_ answer: JSONObject, _ declaration: OperationDeclaration) throws(OperationProblem) {
        let value = JSONValue.object(answer)
        let fault: String? =
            if value.text.utf8.count > Self.operationLimit {
                "it has more than \(Self.operationLimit) bytes"
            } else if !value.isNested(atMost: Self.operationDepth) {
                "it is nested more than \(Self.operationDepth) deep"
            } else {
                declaration.result.faults(of: answer).first
            }
        guard let fault else { return }
        self.logger.warning(
            "An operation is not answered as the manifest says",
            metadata: ["operation": "\(declaration.name)", "reason": "\(fault)"])
        throw OperationProblem(
            "plugin_answer_invalid", status: 502,
            "the plugin '\(self.name)' answered what its manifest does not say: \(fault.cut(to: 256))")
    }
}

extension OperationProblem {
    /// The problem of a plugin that cannot be asked now.
    fileprivate static func unavailable(_ detail: String) -> OperationProblem {
        OperationProblem("plugin_unavailable", status: 503, detail)
    }
}

extension JSONValue {
    /// True if no more than so many objects and lists lie in each other.
    fileprivate func isNested(atMost depth: Int) -> Bool {
        switch self {
        case .array(let elements): depth > 0 && elements.allSatisfy { $0.isNested(atMost: depth - 1) }
        case .object(let object): depth > 0 && object.members.allSatisfy { $0.value.isNested(atMost: depth - 1) }
        default: true
        }
    }
}

extension PluginOperation {
    /// The operation as ways in, checks and documents know it; nil for an instance whose name cannot stand before a point.
    package func declaration(of instance: String) -> OperationDeclaration? {
        guard let name = OperationName("\(instance).\(self.name)") else { return nil }
        let isCommand = self.callsAreRequests
        let isQuestion = self.scope == .read && !isCommand
        let devices = self.input.filter { $0.kind == .device }
        return OperationDeclaration(
            name: name,
            route: OperationRoute(isQuestion ? .get : .post, "/plugins/\(instance)/operations/\(self.name)"),
            scope: self.scope, isCommand: isCommand, takesIdempotencyKey: true,
            reach: devices.isEmpty ? .gateway : .device, summary: self.summary, details: self.details ?? "",
            fields: self.input.map(\.field),
            result: OperationResult(self.result, isOpen: self.answer.isEmpty, self.answer.map(\.member)),
            problems: self.problems.map { OperationProblemCase($0.code, $0.status, $0.meaning) }
                + (devices.isEmpty ? [] : OperationDeclaration.deviceProblems).filter { problem in
                    !self.problems.contains { $0.code == problem.code }
                } + OperationDeclaration.pluginProblems)
    }
}

extension PluginOperation {
    /// Checks an input as the gateway does, and fills in the defaults.
    /// - Returns: what is wrong with it; nil when nothing is.
    package func complete(_ input: inout JSONObject) -> String? {
        let fields = self.input.map(\.field)
        if let fault = CheckedInput(input, schema: .object(fields)).faults.first { return fault.message }
        self.fillIn(&input)
        return nil
    }

    /// Describes what of an answer is not as the manifest says; nil when all is.
    package func fault(ofAnswer answer: JSONObject) -> String? {
        self.declaration(of: "test")?.result.faults(of: answer).first
    }

    fileprivate func fillIn(_ input: inout JSONObject) {
        for key in self.input where input[key.name] == nil { input[key.name] = key.fallback }
    }
}
