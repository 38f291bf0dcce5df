import GatewayCore
import NIOCore
import PluginKit

extension PluginWire {
    func take(_ piece: LineSplitter.Piece) {
        switch piece {
        case .oversized(let length):
            self.counts.oversized += 1
            self.strayed(ByteBuffer(), "a line of \(length) bytes")
        case .line(let line):
            if self.traces.isActive { self.traces.record(.fromPlugin, line.hidingSecretsOfCalls) }
            do throws(PluginLineFault) {
                self.take(try PluginLine(reading: line))
            } catch {
                self.take(error, line)
            }
        }
    }

    private func take(_ line: PluginLine) {
        switch line {
        case .response(let response): self.take(response)
        case .call(let id, let call):
            self.take(call, id)
        case .complete(let completion): self.completed(completion)
        case .progress(let progress): self.progressed(progress)
        case .operationDone(let completion): self.ended(completion.call, .success(completion.result))
        case .operationFailed(let notice): self.ended(notice.call, .failure(notice.failure.error))
        case .log(let record): self.observer?.logged(record)
        case .healthChanged(let health):
            // A change that is left out shows in the next answer to `health`.
            if self.healthChanges.admit(at: self.eventLoop.now) { self.observer?.healthChanged(health) }
        case .unknownRequest(let id, let method):
            let error = PluginRPCError(.methodNotFound, "there is no method '\(method)'")
            self.answer(RPCResponse(id, error: error))
        case .unknownNotification: break
        }
    }

    /// Passes a request on, if it is granted.
    private func take(_ call: PluginCall, _ id: PluginRequestID) {
        switch self.bounds.admitted(call, heard: self.heard) {
        case .success(.operation) where !self.callRate.admit(at: self.eventLoop.now):
            self.answer(
                RPCResponse(id, error: PluginRPCError(.busy, "more than \(Self.callLimit) operations in a second")))
        case .success(.publish) where !self.provisionRate.admit(at: self.eventLoop.now),
            .success(.withdraw) where !self.provisionRate.admit(at: self.eventLoop.now):
            self.answer(
                RPCResponse(
                    id, error: PluginRPCError(.busy, "more than \(Self.provisionLimit) changes of devices in a second"))
            )
        case .success(let call):
            self.observer?.asked(call, id: id, cause: call.isSending ? self.messages.longestOrigin : nil)
        case .failure(let refusal):
            self.refuse(refusal.what)
            self.answer(RPCResponse(id, error: refusal.error))
        }
    }

    private func take(_ response: RPCResponse) {
        guard case .number(let id) = response.id else {
            self.counts.unknownIDs += 1
            return
        }
        if let item = self.messages.answered(id) {
            self.answered(item, response)
        } else if self.takeOperation(id, response) {
            return
        } else if let promise = self.calls.removeValue(forKey: id) {
            promise.succeed(response)
        } else if self.messages.takeCancelled(id) {
            self.counts.late += 1
        } else if id > 0, id < self.nextID {
            self.counts.duplicates += 1
        } else {
            self.counts.unknownIDs += 1
        }
    }

    func refuse(_ what: String) {
        self.counts.refused += 1
        self.observer?.refused(what)
    }

    private func take(_ fault: PluginLineFault, _ line: ByteBuffer) {
        if fault.kind == .stray { return self.strayed(line, fault.reason) }
        // The plugin numbers its own requests.
        if fault.kind == .invalidParameters, let id = fault.id {
            return self.answer(RPCResponse(id, error: fault.error))
        }
        if fault.kind == .invalidResult, case .number(let id) = fault.id {
            if let item = self.messages.answered(id) {
                self.counts.invalid += 1
                self.fail(item, .handlerFailed, fault.reason, as: .invalid)
                self.sendQueued()
                return self.callBackWhenIdle()
            }
            if let call = self.operations.call(askedBy: id) {
                self.operations.answered(call)
                return self.ended(call, .failure(fault))
            }
            if let promise = self.calls.removeValue(forKey: id) {
                return promise.fail(GatewayError(.handlerFailed, fault.reason))
            }
        }
        // A malformed message may hold a sender's payload, which is not for the log.
        self.strayed(ByteBuffer(), fault.reason)
    }

    private func strayed(_ line: ByteBuffer, _ reason: String) {
        self.counts.stray += 1
        self.observer?.strayed(line, reason: reason)
        if !self.strays.admit(at: self.eventLoop.now) { self.giveUp("a flood of lines that are no messages") }
    }
}

extension PluginCall {
    /// True if it may set off further messages, so that loops have to be told.
    fileprivate var isSending: Bool {
        switch self {
        case .send, .broadcast, .operation: true
        case .publish, .withdraw, .emit, .query, .get, .put, .delete, .list: false
        }
    }
}

/// Takes the plugin's lines other than verdicts. Called on the connection's event loop.
protocol PluginWireObserver: AnyObject, Sendable {
    /// The plugin asks for something; the answer goes to ``PluginConnection/answer(_:_:)``.
    func asked(_ call: PluginCall, id: PluginRequestID, cause: MessageOrigin?)

    /// The plugin wants something done beside a verdict, which was granted.
    func effect(_ effect: Effect)

    func logged(_ record: PluginLogRecord)

    func strayed(_ line: ByteBuffer, reason: String)

    func refused(_ what: String)

    func healthChanged(_ health: PluginHealth)

    /// The plugin does what no plugin may, and has to be ended.
    func misbehaved(_ reason: String)

    func closed(_ reason: String)
}
