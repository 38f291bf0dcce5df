import CastWire
import DeviceSessions
import FeatureContract
import GatewayCore
import SystemPrimitives
import VirtualDevices

/// How plugins speak to apps, and what they are told of devices: as internal senders of the virtual devices, and on the leg `own`
/// through the gateway's own sessions with real ones.
struct PluginSenders: InternalSenders {
    /// Speaks to the virtual devices.
    let virtual: VirtualDeviceSenders
    /// Has the sessions with real devices.
    let directory: DeviceSessionDirectory
    /// Knows the real devices that have no session.
    let discovery: DeviceDiscovery

    /// How long a plugin's start waits for the event loops of real devices, all together.
    private static let patience = Duration.seconds(1)

    func snapshot() async -> GatewaySnapshot { await self.virtual.snapshot() }

    func ownSnapshot() async -> GatewaySnapshot {
        var snapshot = GatewaySnapshot()
        let devices = RealDeviceNames(channels: self.directory.channelNames, found: self.discovery.devices)
        snapshot.realDevices = devices.entries.map { entry in
            GatewaySnapshot.RealDevice(
                name: entry.name, friendlyName: entry.found?.friendlyName ?? entry.name, id: entry.found?.id,
                model: entry.found?.model ?? "", isOnline: self.directory.isOnline(entry.name))
        }
        snapshot.ownSessions = await EventLoopTimeout.$current.withValue(EventLoopTimeout(Self.patience)) {
            var sessions: [CastSessionFacts] = []
            for session in await self.directory.currentSessions() {
                if let facts = try? await session.facts { sessions.append(facts) }
            }
            return sessions
        }
        return snapshot
    }

    func send(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin,
        wait: Duration?
    ) async throws(GatewayError) -> CastMessage.Payload? {
        guard app.leg == .own else {
            return try await self.virtual.send(payload, namespace: namespace, to: app, as: sender, wait: wait)
        }
        let session = try await self.session(app, sender, namespace)
        do throws(SessionFailure) {
            return try await session.send(payload, in: namespace, from: sender, wait: wait).map { .json($0) }
        } catch {
            throw GatewayError(error)
        }
    }

    func broadcast(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin
    ) async throws(GatewayError) {
        guard app.leg == .sender else { throw Self.noSenders(app) }
        try await self.virtual.broadcast(payload, namespace: namespace, to: app, as: sender)
    }

    func listen(to app: AppAddress, as sender: MessageOrigin, limit: Int) async throws(GatewayError) -> SenderInbox {
        guard app.leg == .sender else { throw Self.noSenders(app) }
        return try await self.virtual.listen(to: app, as: sender, limit: limit)
    }

    /// The session that is meant, when the sender may speak there.
    private func session(
        _ app: AppAddress, _ sender: MessageOrigin, _ namespace: Namespace
    ) async throws(GatewayError) -> CastSession {
        guard namespace.isValid else { throw GatewayError(.reservedNamespace, "that is no namespace") }
        guard !namespace.isTransport, ![.receiver, .discovery, .setup, .multizone].contains(namespace) else {
            throw GatewayError(.reservedNamespace, "'\(namespace)' is the gateway's own")
        }
        guard sender.hops <= MessageOrigin.maximumHops else {
            throw GatewayError(.messageLoop, "too many messages lie behind this one")
        }
        guard self.directory.hasDevice(app.device) else {
            throw GatewayError(.unknownDevice, "there is no real device '\(app.device)'")
        }
        guard let session = await self.directory.currentSession(device: app.device),
            let facts = try? await session.facts, app.session == nil || facts.sessionID == app.session
        else {
            let which = app.session.map { " '\($0)'" } ?? ""
            throw GatewayError(.unknownSession, "the gateway has no session\(which) with '\(app.device)'")
        }
        guard facts.app?.namespaces.contains(namespace) ?? true else {
            throw GatewayError(.unsupportedNamespace, "the app on '\(app.device)' does not list '\(namespace)'")
        }
        return session
    }

    private static func noSenders(_ app: AppAddress) -> GatewayError {
        GatewayError(.init(.invalidRequest), "the gateway's own session with '\(app.device)' has no senders")
    }
}
