import CastTransport
import GatewayConfig
import GatewayCore
import HTTPServing
import NIOCore

/// The listening sockets of one virtual device.
struct DeviceListeners: Sendable {
    let senders: any Channel
    private(set) var setup: [SetupKind: HTTPListener]

    /// Binds the addresses of `terms`; nothing new is left when one cannot be bound.
    /// - Parameters:
    ///   - old: the sockets under the terms in force, which stay where the address does; nil at first.
    ///   - isAccepting: false leaves senders waiting at a new address.
    ///   - sharedPorts: the ports that a listener of this process gives up for this device.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    init(
        of device: any ListeningDevice, by terms: any ListeningTerms, replacing old: DeviceListeners? = nil,
        isAccepting: Bool, sharedPorts: Set<Int>
    ) async throws {
        let before = device.terms
        if let old, before.listen == terms.listen {
            self.senders = old.senders
        } else {
            let address = terms.listen
            do {
                self.senders = try await device.bind(
                    to: address, isAccepting: isAccepting, isShared: sharedPorts.contains(address.port))
            } catch {
                throw GatewayError(
                    .listenFailed,
                    "virtual device '\(device.name)' cannot listen on \(address): \(TransportError.text(ofListening: error))"
                )
            }
        }
        self.setup = old?.setup ?? [:]
        do {
            for kind in SetupKind.allCases where old == nil || before.setup[kind] != terms.setup[kind] {
                self.setup[kind] = nil
                guard let address = terms.setup[kind] else { continue }
                self.setup[kind] = try await Self.listen(
                    kind, of: device, on: address, isShared: sharedPorts.contains(address.port),
                    eventLoop: self.senders.eventLoop)
            }
        } catch {
            if self.senders !== old?.senders { try? await self.senders.close() }
            for listener in self.setupListeners(notIn: old) { await listener.discard() }
            throw error
        }
    }

    private static func listen(
        _ kind: SetupKind, of device: any ListeningDevice, on address: ListenAddress, isShared: Bool,
        eventLoop: any EventLoop
    ) async throws -> HTTPListener {
        let environment = device.terms.environment
        let (refusals, shortage) = (device.refusals, environment.shortage)
        var (rules, responder) = try device.setupService(kind)
        rules.refused = { refusals.note(address: $0, reason: $1, listener: .setup, at: .now()) }
        rules.accepting = { shortage.note($0) }
        do {
            return try await HTTPListener(
                at: .address(host: address.host, port: address.port, sharesAddress: isShared), kind: .setup,
                admission: environment.admission, rules: rules, on: eventLoop, logger: device.logger.quiet,
                responder: responder)
        } catch {
            throw GatewayError(
                .listenFailed,
                "the set-up endpoint cannot listen on \(address): \(TransportError.text(ofListening: error))")
        }
    }

    /// The set-up listeners that `others` do not have.
    func setupListeners(notIn others: DeviceListeners? = nil) -> [HTTPListener] {
        SetupKind.allCases.compactMap { self.setup[$0] === others?.setup[$0] ? nil : self.setup[$0] }
    }

    /// Every listening socket.
    var sockets: [any Channel] { [self.senders] + self.setupListeners().map(\.channel) }

    /// The port where senders connect.
    func port(_ terms: any ListeningTerms) -> Int { self.senders.localAddress?.port ?? terms.listen.port }

    func endpoints(of device: any ListeningDevice) -> VirtualDeviceEndpoints {
        let terms = device.terms
        return VirtualDeviceEndpoints(
            name: device.name, friendlyName: terms.friendlyName, castPort: self.port(terms),
            setupHTTPPort: self.setup[.http]?.port, setupHTTPSPort: self.setup[.https]?.port)
    }
}
