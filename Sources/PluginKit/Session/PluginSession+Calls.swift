import Synchronization

extension PluginSession {
    /// Asks the gateway, and waits for its answer. A cancelled task waits on: the gateway answers everything.
    /// - Throws: what the gateway refuses it with.
    func call(_ call: PluginCall) async throws(PluginRPCError) -> RPCResponse {
        let response: RPCResponse = await withCheckedContinuation { continuation in
            let (id, quiet): (Int?, [QuietWaiter]) = self.state.withLock { state in
                guard state.stage != .stopped else { return (nil, []) }
                state.lastCall += 1
                state.calls[state.lastCall] = continuation
                state.busy -= 1
                return (state.lastCall, state.takeQuietWaiters())
            }
            guard let id else {
                let error = PluginRPCError(.notReady, "the gateway is gone")
                return continuation.resume(returning: RPCResponse(.number(0), error: error))
            }
            self.output.append { PluginLine.call(.number(id), call).write(to: &$0) }
            for waiter in quiet { waiter.resume() }
        }
        if case .failure(let error) = response.outcome { throw error }
        return response
    }

    /// Takes an answer; one to no request is ignored.
    func answered(_ response: RPCResponse) {
        guard case .number(let id)? = response.id else { return }
        let continuation = self.state.withLock { state in
            let continuation = state.calls.removeValue(forKey: id)
            if continuation != nil { state.busy += 1 }
            return continuation
        }
        continuation?.resume(returning: response)
    }

    /// Takes it that a verdict is not awaited any more.
    func cancel(_ notice: CancelNotice) {
        let (task, quiet): (Task<Void, Never>?, [QuietWaiter]) = self.state.withLock { state in
            if let messageID = notice.messageID {
                state.deferred.remove(messageID)
                state.early[messageID] = nil
            }
            return (state.flows.cancel(notice.id), state.takeQuietWaiters())
        }
        task?.cancel()
        for waiter in quiet { waiter.resume() }
    }

    /// So many verdicts may come before it is said that they come later.
    private static let earlyLimit = 1_024

    /// Decides about a message that was deferred.
    func complete(_ messageID: String, with verdict: Verdict) {
        let (isDue, quiet): (Bool, [QuietWaiter]) = self.state.withLock { state in
            if state.deferred.remove(messageID) != nil { return (true, state.takeQuietWaiters()) }
            if state.early.count < Self.earlyLimit { state.early[messageID] = verdict }
            return (false, [])
        }
        guard isDue else { return }
        self.output.append { MessageCompletion(messageID: messageID, verdict: verdict).write(to: &$0) }
        for waiter in quiet { waiter.resume() }
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
