import Synchronization

/// A plugin's calls to the gateway, until they are answered.
final class GatewayCalls: Sendable {
    private struct State {
        /// The callers of what is not answered yet.
        var waiting: [Int: CheckedContinuation<RPCResponse, Never>] = [:]
        var lastCall = 0
        /// The session is over: nothing is asked any more.
        var isOver = false
    }

    private let state = Mutex(State())
    private let activity: SessionActivity
    private let output: LineOutput

    init(activity: SessionActivity, output: LineOutput) {
        self.activity = activity
        self.output = output
    }

    /// Asks the gateway, and waits for its answer. A cancelled task waits on: the gateway answers everything.
    /// - Throws: what the gateway refuses it with.
    func call(_ call: PluginCall) async throws(PluginRPCError) -> RPCResponse {
        let response: RPCResponse = await withCheckedContinuation { continuation in
            let id: Int? = self.state.withLock { state in
                guard !state.isOver else { return nil }
                state.lastCall += 1
                state.waiting[state.lastCall] = continuation
                return state.lastCall
            }
            guard let id else { return continuation.resume(returning: Self.gone(0)) }
            let quiet = self.activity.pause()
            self.output.append { PluginLine.call(.number(id), call).write(to: &$0) }
            // What they say stands behind the call.
            for waiter in quiet { waiter.resume() }
        }
        if case .failure(let error) = response.outcome { throw error }
        return response
    }

    /// Takes an answer; one to no request is ignored.
    func answered(_ response: RPCResponse) {
        guard case .number(let id)? = response.id,
            let continuation = self.state.withLock({ $0.waiting.removeValue(forKey: id) })
        else { return }
        self.activity.resume()
        continuation.resume(returning: response)
    }

    /// Refuses new calls; those that wait may still be answered.
    func refuseMore() {
        self.state.withLock { $0.isOver = true }
    }

    /// Ends the calls that wait: the gateway is gone.
    func close() {
        let waiting = self.state.withLock { state in
            state.isOver = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for (id, continuation) in waiting { continuation.resume(returning: Self.gone(id)) }
    }

    private static func gone(_ id: Int) -> RPCResponse {
        RPCResponse(.number(id), error: PluginRPCError(.notReady, "the gateway is gone"))
    }
}

extension RPCResponse {
    /// Reads the result; one that is not what it should be is the gateway's fault.
    func reading<Value>(
        _ read: (RPCResponse) throws(PluginLineFault) -> Value
    ) throws(PluginRPCError) -> Value {
        do throws(PluginLineFault) {
            return try read(self)
        } catch {
            throw PluginRPCError(.internalError, "the gateway's answer is malformed: \(error.reason)")
        }
    }
}
