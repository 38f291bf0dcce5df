import CastWire
import GatewayCore
import NIOCore
import PluginKit
import Synchronization

/// One operation that a plugin does. For the event loop of the plugin's wire.
final class PluginOperationItem {
    let promise: EventLoopPromise<JSONObject>
    /// Called on the event loop with how far it is.
    let onProgress: @Sendable (OperationProgress) -> Void
    /// The id of the request by which the plugin was asked; nil once it has answered.
    var requestID: Int?

    init(_ promise: EventLoopPromise<JSONObject>, onProgress: @escaping @Sendable (OperationProgress) -> Void) {
        self.promise = promise
        self.onProgress = onProgress
    }
}

/// The operations that a plugin does, by the gateway's ids of the calls. Bounded.
struct OperationsUnderWay {
    static let limit = 64

    private var items: [String: PluginOperationItem] = [:]
    private var calls: [Int: String] = [:]

    var count: Int { self.items.count }

    mutating func asked(_ call: String, _ item: PluginOperationItem, requestID: Int) {
        item.requestID = requestID
        self.items[call] = item
        self.calls[requestID] = call
    }

    /// The call that a request asked for; nil when it was none, or its outcome is not awaited any more.
    func call(askedBy requestID: Int) -> String? { self.calls[requestID] }

    /// An operation, while its outcome is awaited.
    subscript(call: String) -> PluginOperationItem? { self.items[call] }

    /// The plugin has answered the request for an operation; the outcome may come later.
    mutating func answered(_ call: String) {
        guard let item = self.items[call], let id = item.requestID else { return }
        self.calls[id] = nil
        item.requestID = nil
    }

    /// Takes an operation out; nil when its outcome is not awaited.
    mutating func remove(_ call: String) -> PluginOperationItem? {
        guard let item = self.items.removeValue(forKey: call) else { return nil }
        if let id = item.requestID { self.calls[id] = nil }
        return item
    }

    mutating func removeAll() -> [PluginOperationItem] {
        defer { (self.items, self.calls) = ([:], [:]) }
        return Array(self.items.values)
    }
}

// MARK: Operations

extension PluginWire {
    /// The number of operations of the gateway a second that a plugin may have done.
    static let callLimit = 200
    /// The number of times a second that a plugin may name devices or take them back.
    static let provisionLimit = 20
    /// The number of changes of progress a minute that are passed on.
    static let progressLimit = 600

    /// Asks the plugin for an operation.
    /// - Returns: false when it cannot be asked; the item's promise has failed then.
    func operate(_ item: PluginOperationItem, _ call: OperationCall) -> Bool {
        let fault: String? =
            if self.isClosed {
                "the plugin has ended"
            } else if self.isDraining {
                "the plugin is being stopped"
            } else if self.operations.count >= OperationsUnderWay.limit {
                "the plugin does \(OperationsUnderWay.limit) operations already"
            } else if self.isCongested {
                "the plugin does not read"
            } else {
                nil
            }
        if let fault {
            item.promise.fail(GatewayError(.unavailable, fault))
            return false
        }
        let id = self.takeID()
        self.operations.asked(call.id, item, requestID: id)
        let line = GatewayLine.operation(.number(id), call)
        self.write(shownAs: line.hidingSecrets) { line.write(to: &$0) }
        return true
    }

    /// The outcome of an operation is not awaited any more.
    func abort(_ call: String, reason: String) {
        guard let item = self.operations.remove(call) else { return }
        if let id = item.requestID { self.messages.forget(id) }
        item.promise.fail(GatewayError(.handlerTimedOut, reason))
        guard !self.isClosed else { return }
        let line = GatewayLine.abort(OperationAbort(call: call, reason: reason))
        self.write { line.write(to: &$0) }
        self.callBackWhenIdle()
    }

    /// Takes the answer to a request for an operation.
    /// - Returns: false when the request was for something else.
    func takeOperation(_ requestID: Int, _ response: RPCResponse) -> Bool {
        guard let call = self.operations.call(askedBy: requestID) else { return false }
        self.operations.answered(call)
        do throws(PluginLineFault) {
            switch try response.operationOutcome() {
            case .pending: break
            case .done(let result): self.ended(call, .success(result))
            }
        } catch {
            if case .failure(let refusal) = response.outcome {
                self.ended(call, .failure(refusal))
            } else {
                self.ended(call, .failure(error))
            }
        }
        return true
    }

    /// Takes the outcome of an operation that was pending; one that is not awaited is counted.
    func ended(_ call: String, _ outcome: Result<JSONObject, any Error>) {
        guard let item = self.operations.remove(call) else {
            self.counts.unknownIDs += 1
            return
        }
        // The answer that it comes later may come after it.
        if let id = item.requestID { self.messages.forget(id) }
        item.promise.completeWith(outcome)
        self.callBackWhenIdle()
    }

    func progressed(_ progress: OperationProgress) {
        guard let item = self.operations[progress.call], self.progressRate.admit(at: self.eventLoop.now) else { return }
        item.onProgress(progress)
    }
}

// MARK: From other event loops and tasks

extension PluginConnection {
    /// Has the plugin do an operation. When the task is cancelled the plugin is told, and its answer is not awaited.
    /// - Parameters:
    ///   - onSent: called on the event loop when the plugin is asked.
    ///   - onProgress: called on the event loop.
    /// - Returns: what the plugin answers.
    /// - Throws: ``PluginRPCError`` with which the plugin refuses, `PluginLineFault` for an answer that is none, ``GatewayError`` with
    ///   `unavailable` when the plugin cannot be asked or ends, and with `handlerTimedOut` when the time is over or the task was
    ///   cancelled.
    func operate(
        _ call: OperationCall, onSent: @escaping @Sendable () -> Void,
        onProgress: @escaping @Sendable (OperationProgress) -> Void
    ) async throws -> JSONObject {
        let promise = self.eventLoop.makePromise(of: JSONObject.self)
        // The cancellation may come to the event loop before the call.
        let withdrawal = Withdrawal()
        let timeout = self.eventLoop.scheduleTask(in: TimeAmount(call.deadline)) {
            self.withWire { $0.abort(call.id, reason: "deadline") }
        }
        defer { timeout.cancel() }
        return try await withTaskCancellationHandler {
            self.eventLoop.execute {
                guard !withdrawal.isMade.load(ordering: .relaxed) else {
                    return promise.fail(GatewayError(.handlerTimedOut, "cancelled"))
                }
                self.withWire { wire in
                    if wire.operate(PluginOperationItem(promise, onProgress: onProgress), call) { onSent() }
                }
            }
            return try await promise.futureResult.get()
        } onCancel: {
            withdrawal.isMade.store(true, ordering: .relaxed)
            self.eventLoop.execute { self.withWire { $0.abort(call.id, reason: "cancelled") } }
        }
    }
}

/// A flag that a call was taken back.
private final class Withdrawal: Sendable {
    let isMade = Atomic(false)
}
