import GatewayConfig
import GatewayCore
import HTTPServing
import Logging
package import NIOCore
import ServiceLifecycle
import SystemPrimitives

/// Runs one virtual device of any kind: its listener, its set-up listeners, until graceful shutdown or ``stop(_:)``.
///
/// ``run()`` has the ``ListeningDevice`` made and its addresses bound, then waits for commands: to answer at one more set-up listener, or
/// to stop. While it runs, ``prepare(_:sharedPorts:)`` readies it for other terms.
package final class ListeningService: Service, CustomStringConvertible {
    private enum Command: Sendable {
        case answer(HTTPListener)
        case stop(String)
    }

    /// The time that senders have to hang up when they are disconnected.
    private static let hangUpTime = TimeAmount.seconds(1)

    /// The device that it runs.
    package let device: any ListeningDevice
    private let sharedPorts: Set<Int>
    private let isAccepting: Bool
    private let listeners = Current<DeviceListeners?>(nil)
    private let listening: EventLoopPromise<VirtualDeviceEndpoints>
    private let commands: AsyncStream<Command>
    private let commandInput: AsyncStream<Command>.Continuation

    /// Makes a service that is not run yet.
    /// - Parameters:
    ///   - sharedPorts: the ports that a listener of this process gives up for this device.
    ///   - isAccepting: false keeps senders waiting until ``accept()``.
    package init(_ device: any ListeningDevice, sharedPorts: Set<Int> = [], isAccepting: Bool = true) {
        self.device = device
        self.sharedPorts = sharedPorts
        self.isAccepting = isAccepting
        self.listening = device.terms.environment.eventLoops.next().makePromise()
        (self.commands, self.commandInput) = AsyncStream.makeStream(of: Command.self)
    }

    deinit {
        // Has no effect when the device has been listening.
        self.listening.fail(GatewayError(.listenFailed, "the virtual device was stopped"))
    }

    package var description: String { "virtual device '\(self.name)'" }

    /// The name in `gateway.yaml`.
    package var name: String { self.device.name }

    /// The ports at which it can be reached now; nil while it cannot.
    package var endpoints: VirtualDeviceEndpoints? { self.listeners.value?.endpoints(of: self.device) }

    /// The event loop that it lives on; nil while it does not run.
    package var eventLoop: (any EventLoop)? { self.listeners.value?.senders.eventLoop }

    /// The sockets that it listens on.
    package var sockets: [any Channel] { self.listeners.value?.sockets ?? [] }

    // MARK: Running

    /// Serves senders until graceful shutdown or ``stop(_:)``.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address cannot be bound, and what keeps the device from being made.
    package func run() async throws {
        let made: DeviceListeners
        do {
            made = try await self.begin()
        } catch {
            self.listening.fail(error)
            throw error
        }
        self.listeners.set(made)
        let (device, endpoints) = (self.device, made.endpoints(of: self.device))
        let place: Logger.Metadata = [
            "host": "\(device.terms.listen.host)", "port": .stringConvertible(endpoints.castPort),
        ]
        device.logger.info("Listening", metadata: place.merging(device.metadata) { $1 })
        await withTaskGroup(of: Void.self) { group in
            for listener in made.setupListeners() { group.addTask { await listener.run() } }
            group.addTask { await device.maintain() }
            group.addTask {
                try? await gracefulShutdown()
                self.stop("the gateway stops")
            }
            device.begin(at: endpoints.castPort)
            if self.isAccepting { try? await device.announce(at: endpoints.castPort) }
            self.listening.succeed(endpoints)
            await self.runCommands(&group)
            group.cancelAll()
        }
        self.commandInput.finish()
        for await case .answer(let listener) in self.commands { await listener.discard() }
        device.logger.info("Stopped")
    }

    /// Makes the device and binds its addresses; nothing is left behind when one cannot be bound.
    private func begin() async throws -> DeviceListeners {
        try await self.device.makeDevice()
        do {
            return try await DeviceListeners(
                of: self.device, by: self.device.terms, isAccepting: self.isAccepting, sharedPorts: self.sharedPorts)
        } catch {
            try await self.device.disconnect("the gateway stops", within: Self.hangUpTime)
            throw error
        }
    }

    /// Runs set-up listeners as they come, until it is time to stop.
    private func runCommands(_ group: inout TaskGroup<Void>) async {
        for await command in self.commands {
            switch command {
            case .answer(let listener): group.addTask { await listener.run() }
            case .stop(let reason): return await self.end(reason)
            }
        }
        await self.end("the gateway stops")
    }

    private func end(_ reason: String) async {
        guard let listeners = self.listeners.value else { return }
        do {
            try await self.device.withdraw()
            // Closed already when another device has taken the address over.
            try? await listeners.senders.close()
            try await self.device.drain()
            try await self.device.disconnect(reason, within: Self.hangUpTime)
        } catch {
            self.device.logger.error("Not stopped in order", metadata: ["reason": "\(error)"])
        }
    }

    /// Waits until it listens.
    /// - Throws: what keeps it from listening, as ``run()`` does.
    @discardableResult
    package func untilListening() async throws -> VirtualDeviceEndpoints {
        try await self.listening.futureResult.get()
    }

    /// Lets in senders that have been waiting.
    package func accept() async throws {
        guard let listeners = self.listeners.value else { return }
        try await listeners.senders.setOption(.autoRead, value: true).get()
        try await self.device.announce(at: listeners.port(self.device.terms))
    }

    /// Ends the device: messages under way have the drain time, then senders are disconnected for this reason.
    package func stop(_ reason: String) {
        self.commandInput.yield(.stop(reason))
    }

    /// Listens no more; established connections stay until ``stop(_:)``.
    package func giveUpAddresses() async {
        guard let listeners = self.listeners.value else { return }
        try? await self.device.withdraw()
        // The listener may be closed already.
        try? await listeners.senders.close()
        for listener in listeners.setupListeners() { await listener.stop() }
    }

    // MARK: Other terms

    /// The listening sockets that other terms have no use for; nil means that the device goes away.
    package func sockets(givenUpFor terms: (any ListeningTerms)?) -> [any Channel] {
        guard let listeners = self.listeners.value else { return [] }
        guard let terms else { return listeners.sockets }
        let before = self.device.terms
        let setup = SetupKind.allCases.filter { before.setup[$0] != terms.setup[$0] }
        return (before.listen == terms.listen ? [] : [listeners.senders])
            + setup.compactMap { listeners.setup[$0]?.channel }
    }

    /// Makes what other terms need: new addresses are bound, while senders wait there. What runs goes on.
    /// - Parameter sharedPorts: the ports that a listener of this process gives up at the same time.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address cannot be bound, and what else the terms want that cannot be had;
    ///   nothing has changed then.
    package func prepare(_ terms: any ListeningTerms, sharedPorts: Set<Int>) async throws -> ListeningChange {
        guard let old = self.listeners.value else {
            throw GatewayError(.unavailable, "virtual device '\(self.name)' does not run")
        }
        let putInForce = try await self.device.prepare(terms)
        let new = try await DeviceListeners(
            of: self.device, by: terms, replacing: old, isAccepting: false, sharedPorts: sharedPorts)
        for listener in new.setupListeners(notIn: old) {
            if case .terminated = self.commandInput.yield(.answer(listener)) { await listener.discard() }
        }
        return ListeningChange(service: self, terms: terms, old: old, new: new, putInForce: putInForce)
    }

    /// Takes the sockets of other terms.
    func replace(_ listeners: DeviceListeners) {
        self.listeners.set(listeners)
    }
}
