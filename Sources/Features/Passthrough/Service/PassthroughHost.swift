import CastDiscovery
import CastTransport
package import DeviceListening
package import GatewayConfig
import GatewayCore
package import HTTPServing
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOPosix
import SystemPrimitives

/// A virtual device whose senders are passed through to a real one: the ``PassthroughDevice`` on its event loop, and what discovery knows
/// of the real device.
///
/// Listeners and set-up answers read ``terms`` for each connection, so they stay right when a reload replaces these.
package final class PassthroughHost: ListeningDevice {
    package let name: String
    package let logger: Logger
    package let refusals: RefusalLog
    private let current: Current<PassthroughTerms>
    /// Seconds since 1970.
    private let wallClock: @Sendable () -> Int64
    private let desk = SetupProxyState()
    private let made = Current<NIOLoopBound<PassthroughDevice>?>(nil)
    /// The real device as discovery knows it, which may be before the virtual one is made.
    private let known = Current<PassedDevice?>(nil)
    private let heardName = Current<String?>(nil)
    private let lastState = Current(PassthroughState.away)

    /// Describes a device; a ``ListeningService`` makes it.
    /// - Parameter wallClock: seconds since 1970.
    package init(_ terms: PassthroughTerms, logger: Logger, wallClock: @escaping @Sendable () -> Int64) {
        var logger = logger
        logger[metadataKey: "device"] = "\(terms.settings.name)"
        self.name = terms.settings.name
        self.logger = logger
        self.refusals = RefusalLog(device: self.name, events: terms.environment.events, logger: logger)
        self.current = Current(terms)
        self.wallClock = wallClock
    }

    package var terms: any ListeningTerms { self.current.value }
    package var metadata: Logger.Metadata { ["target": "\(self.settings.target)"] }

    package var settings: PassthroughSettings { self.current.value.settings }

    /// The state of the device, as it said last.
    package var state: PassthroughState { self.lastState.value }

    /// The name that senders show, which the real device announced last; nil before it has been heard.
    package var shownName: String? { self.heardName.value }

    private func device() throws(GatewayError) -> NIOLoopBound<PassthroughDevice> {
        guard let device = self.made.value else {
            throw GatewayError(.unavailable, "virtual device '\(self.name)' does not run")
        }
        return device
    }

    /// Does something with the device, where it lives.
    private func submit(_ body: @escaping @Sendable (PassthroughDevice) -> Void) async throws {
        let device = try self.device()
        try await device.eventLoop.submit { body(device.value) }.get()
    }

    // MARK: Making

    package func makeDevice() async throws {
        let terms = self.current.value
        let environment = terms.environment
        let eventLoop = environment.eventLoops.next()
        let device = try await eventLoop.submit {
            let device = PassthroughDevice(
                terms.settings, environment: environment, desk: self.desk, refusals: self.refusals,
                eventLoop: eventLoop, logger: self.logger, wallClock: self.wallClock,
                tell: { [lastState = self.lastState] in lastState.set($0) })
            environment.running.add(device)
            return NIOLoopBound(device, eventLoop: eventLoop)
        }.get()
        self.made.set(device)
    }

    package func bind(
        to address: ListenAddress, isAccepting: Bool, isShared: Bool
    ) async throws -> any Channel {
        let (device, environment) = (try self.device(), self.current.value.environment)
        let (admission, shortage) = (environment.admission, environment.shortage)
        return try await SpliceSockets.set(on: ServerBootstrap(group: device.eventLoop))
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: isAccepting)
            .serverChannelOption(.socketOption(SharedAddress.option), value: isShared ? 1 : 0)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try AcceptHandlers.install(
                        in: channel, acceptsPerSecond: { admission.acceptsPerSecond(.senders) },
                        accepting: { shortage.note($0) })
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try device.value.accept(channel) }
            }
            .bind(host: address.host, port: address.port).get()
    }

    package func setupService(
        _ kind: SetupKind
    ) throws -> (rules: HTTPListener.Rules, responder: HTTPChannelHandler.Responder) {
        let (current, device) = (self.current, try self.device())
        let rules = HTTPListener.Rules(
            limits: { current.value.environment.setupConnections },
            // Connections to it live where the device lives.
            obstacle: { device.value.obstacle(for: $0) })
        let proxy = SetupProxy(desk: self.desk, eventLoop: device.eventLoop, logger: self.logger)
        let responder: HTTPChannelHandler.Responder = { request, writer, _ in
            let response = await proxy.response(to: request, current.value.environment.setup)
            try await writer.write(response: response.head, body: response.body)
        }
        return (rules, responder)
    }

    // MARK: Running

    package func begin(at port: Int) {
        self.setEndpoints(port)
        if let device = try? self.device() { self.tell(device) }
    }

    package func announce(at port: Int) async throws {
        try await self.submit { $0.listens(at: port) }
    }

    package func withdraw() async throws {
        try await self.submit { $0.withdraw() }
    }

    package func disconnect(_ reason: String, within time: TimeAmount) async throws {
        let (device, environment) = (try self.device(), self.current.value.environment)
        defer { environment.ownEndpoints.set(hosts: [], port: 0, of: self.key) }
        try await self.submit {
            environment.running.remove($0)
            $0.stop(reason)
        }
        try await device.eventLoop.flatSubmit { device.value.waitForEnds(atMost: time) }.get()
    }

    /// Takes what discovery knows of the real device now; nil when it is away. Does not wait.
    package func follow(_ device: PassedDevice?) {
        self.known.set(device)
        if let name = device?.record?.friendlyName { self.heardName.set(name) }
        if let device = try? self.device() { self.tell(device) }
    }

    private func tell(_ device: NIOLoopBound<PassthroughDevice>) {
        // What is newest when the event loop has the time.
        device.eventLoop.execute { device.value.follow(self.known.value) }
    }

    // MARK: Own end points

    /// The key of this device's end point: a device that replaces another one has its name.
    private var key: String { "\(self.name) \(ObjectIdentifier(self).hashValue)" }

    /// Says where it listens: what is announced there comes back from the network and is not the real device.
    private func setEndpoints(_ port: Int) {
        let terms = self.current.value
        let isEverywhere = ["0.0.0.0", "::", ""].contains(terms.listen.host)
        let hosts = isEverywhere ? InterfaceTable.current.entries.map(\.address) : [terms.listen.host]
        terms.environment.ownEndpoints.set(hosts: hosts, port: port, of: self.key)
    }

    // MARK: Other terms

    package func prepare(_ terms: any ListeningTerms) async throws -> @Sendable (_ port: Int) async throws -> Void {
        guard let terms = terms as? PassthroughTerms else {
            // A device that becomes one of another kind is replaced.
            throw GatewayError(.unavailable, "'\(self.name)' is not passed through any more")
        }
        return { port in
            // What was known is of another device then.
            if terms.settings.target != self.settings.target {
                self.known.set(nil)
                self.heardName.set(nil)
            }
            self.current.set(terms)
            self.setEndpoints(port)
            try await self.submit { device in
                device.reconfigure(
                    terms.settings, limits: terms.environment.limits, target: self.known.value)
                // In the same turn, so that another target is never announced at the former port.
                device.listens(at: port)
            }
        }
    }
}
