import CastWire
import GatewayCore
import Logging
import NIOCore
import PluginKit
import Synchronization

/// What the wire hears beside verdicts; on its event loop.
extension PluginLife: PluginWireObserver {
    func asked(_ call: PluginCall, id: PluginRequestID, cause: MessageOrigin?) {
        guard self.state.withLock({ $0.mayAsk }) else {
            let error = PluginRPCError(.notReady, "before 'start' a plugin asks for nothing")
            return self.connection?.answer(RPCResponse(id, error: error)) ?? ()
        }
        guard !self.add(.call(call, id, cause: cause)) else { return }
        self.connection?.answer(RPCResponse(id, error: PluginRPCError(.busy, "too many requests are waiting")))
    }

    func effect(_ effect: Effect) {
        if !self.add(.effect(effect)) { self.logger.warning("An effect was left out: too much is waiting") }
    }

    func logged(_ record: PluginLogRecord) {
        self.log.take(record)
    }

    func strayed(_ line: ByteBuffer, reason: String) {
        self.log.take(Self.record(of: line, reason))
    }

    private static func record(of line: ByteBuffer, _ reason: String) -> PluginLogRecord {
        let text = line.getString(at: line.readerIndex, length: min(line.readableBytes, 256)) ?? ""
        return PluginLogRecord(
            .notice, "A line on the wire is no message", fields: ["line": .string(text), "reason": .string(reason)])
    }

    func refused(_ what: String) {
        self.log.take(PluginLogRecord(.warning, "Not granted", fields: ["what": .string(what), "code": "not_granted"]))
    }

    func healthChanged(_ health: PluginHealth) {
        self.feel(health)
    }

    func misbehaved(_ reason: String) {
        self.fail(.failed(reason))
    }

    func closed(_ reason: String) {
        // A process whose wire is cut is of no use any more, and may not have noticed.
        self.state.withLock { $0.process }?.kill()
        self.cut.succeed()
        // Whoever was tried out and not let in does not wait for that any more.
        self.gate.fail(GatewayError(.unavailable, reason))
    }
}
