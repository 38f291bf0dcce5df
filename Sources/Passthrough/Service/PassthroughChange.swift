import GatewayConfig
import GatewayCore
import Logging
public import NIOCore

/// A running device that is passed through, ready for other settings: either ``commit()`` or ``undo()`` follows.
///
/// Preparing binds the new addresses, where senders wait. Committing swaps settings and parts, and closes the old addresses last.
public struct PassthroughChange: Sendable {
    private let service: PassthroughService
    private let settings: PassthroughSettings
    private let environment: PassthroughEnvironment
    private let old: PassthroughParts
    private let new: PassthroughParts

    init(
        preparing settings: PassthroughSettings, environment: PassthroughEnvironment, sharedPorts: Set<Int>,
        for service: PassthroughService, running old: PassthroughParts
    ) async throws {
        let (before, maker) = (service.settings, service.maker)
        var new = old
        if before.listen != settings.listen {
            new.listener = try await maker.listen(
                on: settings.listen, for: old.device, isAccepting: false,
                isShared: sharedPorts.contains(settings.listen.port))
        }
        do {
            if before.setup != settings.setup {
                new.setup = try await maker.makeSetup(settings.setup, new, sharedPorts: sharedPorts)
                if let setup = new.setup { await service.run(setup) }
            }
        } catch {
            if new.listener !== old.listener { try? await new.listener.close() }
            throw error
        }
        self.service = service
        self.settings = settings
        self.environment = environment
        self.old = old
        self.new = new
    }

    /// The sockets bound for it.
    public var boundSockets: [any Channel] {
        let before = self.old.sockets.map(ObjectIdentifier.init)
        return self.new.sockets.filter { !before.contains(ObjectIdentifier($0)) }
    }

    /// Puts the settings in force. Splices stay, unless the device has another target or their senders may not connect any more;
    /// addresses that are not listened on any more are given up last.
    /// - Throws: only when an event loop has been shut down.
    public func commit() async throws {
        let (settings, environment, port) = (self.settings, self.environment, self.new.port(self.settings))
        self.service.replace(settings, environment, self.new)
        try await self.new.submit { [service] in
            $0.reconfigure(settings, limits: environment.limits, target: service.lastKnown)
            $0.listens(at: port)
        }
        if self.new.listener !== self.old.listener {
            try await self.new.listener.setOption(.autoRead, value: true).get()
            try? await self.old.listener.close()
            self.service.logger.info(
                "Listening elsewhere",
                metadata: ["host": "\(settings.listen.host)", "port": .stringConvertible(port)])
        }
        if self.new.setup !== self.old.setup { await self.old.setup?.stop() }
    }

    /// Gives up what was prepared; the device goes on as it was.
    public func undo() async {
        if self.new.listener !== self.old.listener { try? await self.new.listener.close() }
        if self.new.setup !== self.old.setup { await self.new.setup?.stop() }
    }
}
