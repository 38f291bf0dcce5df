import CastWire
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import HTTPFetching
import MediaCatalogues
import MediaPictures
import SystemPrimitives
import VirtualDevices

/// What operations on devices need: finds what a caller means, and makes what acts on it.
package struct DeviceControls: Sendable {
    let context: GatewayContext
    let resolver: DeviceResolver
    /// The real devices, and the gateway's own sessions with them.
    let devices: RealDevicesFeature
    /// Speaks to the virtual devices.
    let senders: VirtualDeviceSenders
    /// Judges messages in namespaces of apps.
    let door: ChannelIngress
    /// Asks the servers of media.
    let prober: any HTTPProbing
    /// How many checks of media are under way.
    let checks = CheckGate()
    /// Gives the media of catalogues.
    let catalogue: CatalogueMedia
    /// Fetches pictures.
    let pictures: Pictures
    /// What was given to callers that go on with it outside of Cast.
    let handOvers = HandoverRegistry()

    /// The device that a caller means, when the caller may use it.
    /// - Throws: as ``DeviceResolver/device(_:for:)``; `unavailable` while the gateway starts or stops.
    func device(_ reference: DeviceReference, for caller: Caller) throws(OperationProblem) -> any ControlledDevice {
        let named = try self.resolver.device(reference, for: caller)
        try self.requireReady()
        switch named.kind {
        case .real:
            return self.realDevice(named.name, for: caller)
        case .virtual: return self.virtualDevice(named.name, for: caller)
        }
    }

    /// The virtual device that a caller means.
    /// - Throws: as ``DeviceResolver/virtualDevice(_:for:)``; `unavailable` while the gateway starts or stops.
    func virtualDevice(
        _ reference: DeviceReference, for caller: Caller
    ) throws(OperationProblem) -> VirtualControlledDevice {
        let named = try self.resolver.virtualDevice(reference, for: caller)
        try self.requireReady()
        return self.virtualDevice(named.name, for: caller)
    }

    private func virtualDevice(_ name: String, for caller: Caller) -> VirtualControlledDevice {
        VirtualControlledDevice(
            name: name, senders: self.senders, origin: MessageOrigin(caller), devices: self.devices)
    }

    private func realDevice(_ name: String, for caller: Caller) -> RealControlledDevice {
        RealControlledDevice(name: name, devices: self.devices, origin: MessageOrigin(caller))
    }

    /// The device that a session of the gateway's own is with.
    func realDevice(of session: CastSession, for caller: Caller) -> RealControlledDevice {
        self.realDevice(session.device, for: caller)
    }

    private func requireReady() throws(OperationProblem) {
        let phase = self.context.lifecycle.phase
        guard phase == .ready else {
            throw OperationProblem(GatewayError(.unavailable, "the gateway is \(phase.rawValue)"))
        }
    }

    // MARK: Sessions

    /// The session that a caller means: one of the gateway's own, or an app on a virtual device.
    /// - Throws: `unknown_session` (404). A caller that is limited to devices gets `device_not_allowed` (403) for every session
    ///   that it may not use, whether it exists or not.
    func session(_ reference: SessionReference, for caller: Caller) async throws(OperationProblem) -> ControlledSession
    {
        if case .device(let device) = reference { return try await self.session(on: device, for: caller) }
        if let session = await self.ownSession(reference, for: caller) {
            CommandTrace.current?.concerns(device: session.device)
            return .own(session)
        }
        if case .id(let id) = reference {
            for session in await self.senders.snapshot().sessions
            where session.app.sessionID == id && caller.mayUse(device: session.device) {
                CommandTrace.current?.concerns(device: session.device)
                return .virtual(self.virtualDevice(session.device, for: caller), session)
            }
        }
        guard caller.devices == nil else {
            throw OperationProblem(
                "device_not_allowed", status: 403, "the caller may not use the session '\(reference.text)'")
        }
        throw .missing("unknown_session", "there is no session \(reference.text)")
    }

    private func ownSession(_ reference: SessionReference, for caller: Caller) async -> CastSession? {
        for session in await self.devices.directory.currentSessions() where caller.mayUse(device: session.device) {
            switch reference {
            case .number(let number): if session.number == number { return session }
            case .id(let id): if (try? await session.facts.sessionID) == id { return session }
            case .device: break
            }
        }
        return nil
    }

    /// The session that there is on a device.
    private func session(
        on reference: DeviceReference, for caller: Caller
    ) async throws(OperationProblem) -> ControlledSession {
        let device: DeviceResolver.NamedDevice
        do throws(OperationProblem) {
            device = try self.resolver.device(reference, for: caller)
        } catch  where error.code != "device_not_allowed" {
            throw .missing("unknown_session", "there is no session on '\(reference.text)': \(error.detail)")
        }
        switch device.kind {
        case .real:
            if let session = await self.devices.directory.currentSession(device: device.name) { return .own(session) }
        case .virtual:
            let virtual = self.virtualDevice(device.name, for: caller)
            if let session = try await virtual.sessions().first { return .virtual(virtual, session) }
        }
        throw .missing("unknown_session", "there is no session on \(device.name)")
    }

    /// The session of the gateway's own that a caller means, when it has ended within the last minutes.
    func endedSession(_ reference: SessionReference, for caller: Caller) -> EndedSessionCache.Entry? {
        let device: String?
        if case .device(let name) = reference {
            device = (try? self.resolver.device(name, for: caller))?.name ?? name.name
        } else {
            device = nil
        }
        return self.context.events.endedSessions.recent().first { entry in
            guard caller.mayUse(device: entry.facts.device) else { return false }
            return switch reference {
            case .number(let number): entry.facts.number == number
            case .id(let id): entry.facts.sessionID == id
            case .device: entry.facts.device == device
            }
        }
    }

    /// A session of the gateway's own.
    /// - Throws: as ``session(_:for:)``; `not_real` (409) for one on a virtual device.
    func ownSession(_ reference: SessionReference, for caller: Caller) async throws(OperationProblem) -> CastSession {
        guard case .own(let session) = try await self.session(reference, for: caller) else {
            throw OperationProblem(
                "not_real", status: 409, "the session is on a virtual device, and not one of the gateway's own")
        }
        return session
    }
}

/// An operation that acts on devices that callers name, and needs nothing besides.
protocol DeviceControlOperation: GatewayOperation {
    init(controls: DeviceControls)
}

extension MessageOrigin {
    /// A caller of operations; a plugin is one by its own name, as when it sends by itself.
    fileprivate init(_ caller: Caller) {
        if let plugin = caller.plugin {
            self.init(plugin, from: .plugin, behind: MessageCause.hops)
            return
        }
        self.init("api-\(caller.name)", from: caller.isBroker ? .mqtt : .api, behind: MessageCause.hops)
    }
}
