import GatewayCore
import NIOCore
import PluginKit

/// Messages that nobody waits for any more: their deadline has passed, or their sender is gone.
extension PluginWire {
    /// How often they are looked for.
    private static let sweepInterval = TimeAmount.milliseconds(20)

    func sweepLater() {
        guard !self.isSweeping, self.inFlightCount > 0 else { return }
        self.isSweeping = true
        let wire = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.eventLoop.scheduleTask(in: Self.sweepInterval) { wire.value.sweep() }
    }

    private func sweep() {
        self.isSweeping = false
        for (id, item) in self.pending where item.deferral.isSettled {
            self.pending[id] = nil
            self.cancelled.insert(id)
            self.cancel(item)
        }
        for (messageID, item) in self.deferred where item.deferral.isSettled {
            self.deferred[messageID] = nil
            self.cancel(item)
        }
        self.queue.removeAll { $0.deferral.isSettled }
        self.sendQueued()
        self.callBackWhenIdle()
        self.sweepLater()
    }

    private func cancel(_ item: PluginWorkItem) {
        self.counts.abandoned += 1
        let reason = self.eventLoop.now >= item.deadline ? "deadline" : "flow_closed"
        let line = GatewayLine.cancel(CancelNotice(id: .number(item.number), messageID: item.id, reason: reason))
        self.write { line.write(to: &$0) }
    }
}
