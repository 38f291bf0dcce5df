import GatewayConfig
import HTTPServing
import Logging
package import NIOCore

/// A running virtual device that is ready for other terms: either ``commit()`` or ``undo()`` follows.
///
/// Preparing has bound the new addresses, where senders wait; the device goes on as it was. Committing replaces the terms, and closes the
/// old addresses last.
package struct ListeningChange: Sendable {
    let service: ListeningService
    let terms: any ListeningTerms
    let old: DeviceListeners
    let new: DeviceListeners
    let putInForce: @Sendable (_ port: Int) async throws -> Void

    private var isMoved: Bool { self.new.senders !== self.old.senders }

    /// The sockets that preparing has bound.
    package var boundSockets: [any Channel] {
        (self.isMoved ? [self.new.senders] : []) + self.new.setupListeners(notIn: self.old).map(\.channel)
    }

    /// Puts the terms in force. Established connections stay, unless their senders may not connect any more or the device says otherwise;
    /// addresses that are not listened on any more are given up last.
    /// - Throws: only when an event loop has been shut down, or ``GatewayError`` when the target has gone
    ///   meanwhile or the device has stopped.
    package func commit() async throws {
        let (device, port) = (self.service.device, self.new.port(self.terms))
        self.service.replace(self.new)
        try await self.putInForce(port)
        if self.isMoved {
            try await self.new.senders.setOption(.autoRead, value: true).get()
            try? await self.old.senders.close()
            device.logger.info(
                "Listening elsewhere",
                metadata: ["host": "\(self.terms.listen.host)", "port": .stringConvertible(port)])
        }
        try await device.announce(at: port)
        for listener in self.old.setupListeners(notIn: self.new) { await listener.stop() }
    }

    /// Gives up what was prepared; the device goes on as it was.
    package func undo() async {
        if self.isMoved { try? await self.new.senders.close() }
        for listener in self.new.setupListeners(notIn: self.old) { await listener.stop() }
    }
}
