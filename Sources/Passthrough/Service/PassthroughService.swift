import CastDiscovery
import CastTransport
import DeviceListening
import GatewayConfig
import GatewayCore
public import Logging
public import NIOCore
public import ServiceLifecycle
import Synchronization
import SystemPrimitives

/// Runs one device that is passed through: its listener, its splices, its set-up port, until graceful shutdown or ``stop(_:)``.
public final class PassthroughService: Service, CustomStringConvertible {
    private enum Command: Sendable {
        case answer(SetupProxy)
        case stop(String)
    }

    /// How long the ends of splices may take to be closed.
    private static let hangUpTime = TimeAmount.seconds(1)

    /// The name in `gateway.yaml`.
    public let name: String
    let logger: Logger
    let maker: PassthroughMaker
    private let current: CurrentPassthrough
    private let parts = Mutex<PassthroughParts?>(nil)
    /// What discovery said before the device was made.
    private let known = Mutex<PassedDevice?>(nil)
    private let heardName = Mutex<String?>(nil)
    private let isAccepting: Bool
    private let listening: EventLoopPromise<Void>
    private let commands: AsyncStream<Command>
    private let commandInput: AsyncStream<Command>.Continuation

    /// Describes a device to run.
    /// - Parameters:
    ///   - sharedPorts: the ports that a listener of this process gives up for this device.
    ///   - isAccepting: false keeps senders waiting until ``accept()``.
    ///   - wallClock: seconds since 1970.
    public convenience init(
        settings: PassthroughSettings, environment: PassthroughEnvironment, logger: Logger,
        sharedPorts: Set<Int> = [], isAccepting: Bool = true, wallClock: @escaping @Sendable () -> Int64
    ) {
        self.init(
            settings: settings, environment: environment, logger: logger, sharedPorts: sharedPorts,
            isAccepting: isAccepting, wallClock: wallClock, interfaces: { .current })
    }

    /// The same, with the interfaces that the machine is to have.
    init(
        settings: PassthroughSettings, environment: PassthroughEnvironment, logger: Logger,
        sharedPorts: Set<Int> = [], isAccepting: Bool = true, wallClock: @escaping @Sendable () -> Int64,
        interfaces: @escaping @Sendable () -> InterfaceTable
    ) {
        var logger = logger
        logger[metadataKey: "device"] = "\(settings.name)"
        self.name = settings.name
        self.logger = logger
        self.current = CurrentPassthrough(settings, environment)
        self.maker = PassthroughMaker(
            settings: self.current,
            refusals: RefusalLog(device: settings.name, events: environment.events, logger: logger),
            sharedPorts: sharedPorts, logger: logger, wallClock: wallClock, interfaces: interfaces)
        self.isAccepting = isAccepting
        self.listening = environment.eventLoops.next().makePromise()
        (self.commands, self.commandInput) = AsyncStream.makeStream(of: Command.self)
    }

    deinit {
        // Has no effect when the device has been listening.
        self.listening.fail(GatewayError(.listenFailed, "the virtual device was stopped"))
    }

    /// What the service is called in logs.
    public var description: String { "virtual device '\(self.name)'" }

    /// The settings in force.
    public var settings: PassthroughSettings { self.current.settings }

    /// How it is.
    public var state: PassthroughState { self.current.state }

    /// What senders show: the name that the real device announced last; nil before it has been heard.
    public var shownName: String? { self.heardName.withLock { $0 } }

    /// The port where senders connect; nil while they cannot.
    public var castPort: Int? { self.parts.withLock { $0 }.map { $0.port(self.settings) } }

    /// The port of the set-up service; nil when it is off.
    public var setupPort: Int? { self.parts.withLock { $0 }?.setup?.port }

    /// The event loop that it lives on; nil while it does not run.
    public var eventLoop: (any EventLoop)? { self.parts.withLock { $0?.eventLoop } }

    /// The sockets that it listens on.
    public var sockets: [any Channel] { self.parts.withLock { $0 }?.sockets ?? [] }

    // MARK: Running

    /// Passes senders through until graceful shutdown or ``stop(_:)``.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address cannot be bound.
    public func run() async throws {
        let made: PassthroughParts
        do {
            made = try await self.maker.makeParts(isAccepting: self.isAccepting)
        } catch {
            self.listening.fail(error)
            throw error
        }
        self.parts.withLock { $0 = made }
        self.setEndpoints(made)
        self.logger.info(
            "Listening",
            metadata: [
                "host": "\(self.settings.listen.host)", "port": .stringConvertible(made.port(self.settings)),
                "target": "\(self.settings.target)",
            ])
        await withTaskGroup(of: Void.self) { group in
            if let setup = made.setup { group.addTask { await setup.run() } }
            group.addTask {
                try? await gracefulShutdown()
                self.stop("the gateway stops")
            }
            self.tellDevice(made)
            if self.isAccepting { try? await self.announce() }
            self.listening.succeed()
            await self.runCommands(&group)
            group.cancelAll()
        }
        self.commandInput.finish()
        for await case .answer(let setup) in self.commands { await setup.discard() }
        self.logger.info("Stopped")
    }

    /// Runs set-up ports as they come, until it is time to stop.
    private func runCommands(_ group: inout TaskGroup<Void>) async {
        for await command in self.commands {
            switch command {
            case .answer(let setup): group.addTask { await setup.run() }
            case .stop(let reason): return await self.end(reason)
            }
        }
        await self.end("the gateway stops")
    }

    private func end(_ reason: String) async {
        guard let parts = self.parts.withLock({ $0 }) else { return }
        do {
            try await parts.submit { $0.withdraw() }
            // Closed already when another device has taken the address over.
            try? await parts.listener.close()
            try await parts.submit { [running = self.current.environment.running] in
                running.remove($0)
                $0.stop(reason)
            }
            try await parts.eventLoop.flatSubmit { parts.device.value.waitForEnds(atMost: Self.hangUpTime) }.get()
        } catch {
            self.logger.error("Not stopped in order", metadata: ["reason": "\(error)"])
        }
        self.current.environment.ownEndpoints.set(hosts: [], port: 0, of: self.key)
    }

    /// Waits until it listens.
    /// - Throws: what keeps it from listening, as ``run()`` does.
    public func untilListening() async throws {
        try await self.listening.futureResult.get()
    }

    /// Lets in senders that have been waiting.
    public func accept() async throws {
        try await self.parts.withLock { $0?.listener }?.setOption(.autoRead, value: true).get()
        try await self.announce()
    }

    private func announce() async throws {
        guard let parts = self.parts.withLock({ $0 }) else { return }
        let port = parts.port(self.settings)
        try await parts.submit { $0.listens(at: port) }
    }

    /// Takes what discovery knows of the real device now; nil when it is away. Does not wait.
    public func follow(_ device: PassedDevice?) {
        self.known.withLock { $0 = device }
        if let name = device?.record?.friendlyName { self.heardName.withLock { $0 = name } }
        if let parts = self.parts.withLock({ $0 }) { self.tellDevice(parts) }
    }

    private func tellDevice(_ parts: PassthroughParts) {
        // What is newest when the event loop has the time.
        parts.eventLoop.execute { parts.device.value.follow(self.known.withLock { $0 }) }
    }

    /// What was said last of the real device.
    var lastKnown: PassedDevice? { self.known.withLock { $0 } }

    /// Ends the device: senders are disconnected for this reason.
    public func stop(_ reason: String) {
        self.commandInput.yield(.stop(reason))
    }

    /// Lets a set-up port answer as long as the device runs.
    func run(_ setup: SetupProxy) async {
        if case .terminated = self.commandInput.yield(.answer(setup)) { await setup.discard() }
    }

    /// Listens no more; senders that are connected stay until ``stop(_:)``.
    public func giveUpAddresses() async {
        guard let parts = self.parts.withLock({ $0 }) else { return }
        try? await parts.submit { $0.withdraw() }
        // The listener may be closed already.
        try? await parts.listener.close()
        await parts.setup?.stop()
    }

    // MARK: Own end points

    /// What this service's end point goes by: a device that replaces another one has its name.
    private var key: String { "\(self.name) \(ObjectIdentifier(self).hashValue)" }

    /// What is announced there comes back from the network and is not the real device.
    private func setEndpoints(_ parts: PassthroughParts) {
        let settings = self.settings
        let isEverywhere = ["0.0.0.0", "::", ""].contains(settings.listen.host)
        let hosts = isEverywhere ? self.maker.interfaces().entries.map(\.address) : [settings.listen.host]
        self.current.environment.ownEndpoints.set(hosts: hosts, port: parts.port(settings), of: self.key)
    }

    // MARK: Another configuration

    /// The listening sockets that other settings have no use for; nil means that the device goes away.
    public func sockets(givenUpFor settings: PassthroughSettings?) -> [any Channel] {
        guard let parts = self.parts.withLock({ $0 }) else { return [] }
        guard let settings else { return parts.sockets }
        let before = self.settings
        var sockets: [any Channel] = []
        if before.listen != settings.listen { sockets.append(parts.listener) }
        if before.setup != settings.setup, let setup = parts.setup { sockets.append(setup.channel) }
        return sockets
    }

    /// Makes what other settings need: new addresses are bound, while senders wait there. What runs goes on.
    /// - Parameters:
    ///   - environment: what the devices share then.
    ///   - sharedPorts: the ports that a listener of this process gives up at the same time.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address cannot be bound; nothing has changed then.
    public func prepare(
        _ settings: PassthroughSettings, environment: PassthroughEnvironment, sharedPorts: Set<Int>
    ) async throws -> PassthroughChange {
        guard let running = self.parts.withLock({ $0 }) else {
            throw GatewayError(.unavailable, "virtual device '\(self.name)' does not run")
        }
        return try await PassthroughChange(
            preparing: settings, environment: environment, sharedPorts: sharedPorts, for: self, running: running)
    }

    /// Puts settings and parts in force.
    func replace(_ settings: PassthroughSettings, _ environment: PassthroughEnvironment, _ parts: PassthroughParts) {
        // What was known is of another device then.
        if settings.target != self.settings.target {
            self.known.withLock { $0 = nil }
            self.heardName.withLock { $0 = nil }
        }
        self.current.replace(settings, environment)
        self.parts.withLock { $0 = parts }
        self.setEndpoints(parts)
    }
}
