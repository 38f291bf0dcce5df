import GatewayCore
import NIOCore
import PluginKit

/// What a line of the plugin's comes to.
extension PluginWire {
    func take(_ piece: LineSplitter.Piece) {
        switch piece {
        case .oversized(let length):
            self.counts.oversized += 1
            self.strayed(ByteBuffer(), "a line of \(length) bytes")
        case .line(let line):
            if self.traces.isActive { self.traces.record(.fromPlugin, line) }
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
            switch self.admitted(call) {
            case .success(let call): self.observer?.asked(call, id: id, cause: call.isSending ? self.cause : nil)
            case .failure(let refusal): self.answer(RPCResponse(id, error: refusal))
            }
        case .complete(let completion): self.completed(completion)
        case .log(let record): self.observer?.logged(record)
        case .healthChanged(let health):
            // What is left out here the next look after its health shows.
            if self.healthChanges.admit(at: self.eventLoop.now) { self.observer?.healthChanged(health) }
        case .unknownRequest(let id, let method):
            let error = PluginRPCError(.methodNotFound, "there is no method '\(method)'")
            self.answer(RPCResponse(id, error: error))
        case .unknownNotification: break
        }
    }

    private func take(_ response: RPCResponse) {
        guard case .number(let id) = response.id else {
            self.counts.unknownIDs += 1
            return
        }
        if let item = self.pending.removeValue(forKey: id) {
            self.answered(id, item, response)
        } else if let promise = self.calls.removeValue(forKey: id) {
            promise.succeed(response)
        } else if self.cancelled.take(id) {
            self.counts.late += 1
        } else if id > 0, id < self.nextID {
            self.counts.duplicates += 1
        } else {
            self.counts.unknownIDs += 1
        }
    }

    private func take(_ fault: PluginLineFault, _ line: ByteBuffer) {
        if fault.kind == .stray { return self.strayed(line, fault.reason) }
        // The ids of the plugin's own requests are none of the gateway's.
        if fault.kind == .invalidParameters, let id = fault.id {
            return self.answer(RPCResponse(id, error: fault.error))
        }
        if fault.kind == .invalidResult, case .number(let id) = fault.id {
            if let item = self.pending.removeValue(forKey: id) {
                self.counts.invalid += 1
                self.fail(item, .handlerFailed, fault.reason)
                self.sendQueued()
                return self.callBackWhenIdle()
            }
            if let promise = self.calls.removeValue(forKey: id) {
                return promise.fail(GatewayError(.handlerFailed, fault.reason))
            }
        }
        // What was meant as a message may hold a sender's payload, which is not for the log.
        self.strayed(ByteBuffer(), fault.reason)
    }

    private func strayed(_ line: ByteBuffer, _ reason: String) {
        self.counts.stray += 1
        self.observer?.strayed(line, reason: reason)
        if !self.strays.admit(at: self.eventLoop.now) { self.giveUp("a flood of lines that are no messages") }
    }
}

extension PluginCall {
    /// Whether it may set off further messages, so that loops have to be told.
    fileprivate var isSending: Bool {
        switch self {
        case .send, .broadcast: true
        case .emit, .query, .get, .put, .delete, .list: false
        }
    }
}
