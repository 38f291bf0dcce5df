import CastWire
import GatewayCore
import PluginKit

/// What a plugin wants from the gateway.
extension PluginLife {
    /// How many requests that wait for others may be under way.
    private static let waitingLimit = 64

    /// Does what the plugin wants, one thing after the other, but for what waits for a device.
    func answerAsks(_ connection: PluginConnection) async {
        await withTaskGroup(of: Void.self) { group in
            var waiting = 0
            for await ask in self.asks {
                switch ask {
                case .effect(let effect): await self.perform(effect)
                case .call(.send(let request), let id, let cause) where request.wait != nil:
                    if waiting >= Self.waitingLimit {
                        await group.next()
                        waiting -= 1
                    }
                    waiting += 1
                    group.addTask { connection.answer(await self.answer(.send(request), id, cause)) }
                case .call(let call, let id, let cause): connection.answer(await self.answer(call, id, cause))
                }
            }
            group.cancelAll()
        }
    }

    private func perform(_ effect: Effect) async {
        do {
            switch effect {
            case .put(let key, let value): try await self.put(key, value)
            case .delete(let key): try await self.store().delete(key, for: self.instance.name)
            case .log(let level, let text): self.log.take(PluginLogRecord(level, text))
            case .replyToSender, .broadcast, .sendToReceiver, .emit: break
            }
        } catch {
            let error = Self.refusal(error)
            self.log.take(PluginLogRecord(.warning, "An effect failed", fields: ["reason": .string(error.description)]))
        }
    }

    private func answer(_ call: PluginCall, _ id: PluginRequestID, _ cause: MessageOrigin?) async -> RPCResponse {
        do {
            return try await self.result(of: call, id, cause)
        } catch {
            return RPCResponse(id, error: Self.refusal(error))
        }
    }

    private func result(
        of call: PluginCall, _ id: PluginRequestID, _ cause: MessageOrigin?
    ) async throws -> RPCResponse {
        let name = self.instance.name
        switch call {
        case .send(let request):
            let payload = try await self.door().send(
                request.payload, namespace: request.namespace,
                to: DoorAddress(device: request.device, session: request.session),
                as: MessageOrigin(name, after: cause), wait: request.wait)
            return RPCResponse(id, GatewaySendResult(payload: payload))
        case .broadcast(let request):
            try await self.door().broadcast(
                request.payload, namespace: request.namespace,
                to: DoorAddress(device: request.device, session: request.session),
                as: MessageOrigin(name, after: cause))
            return RPCResponse(id)
        case .emit(let request):
            self.context.events.publish(.custom(name: request.event, data: request.data))
            return RPCResponse(id)
        case .query(let query): return RPCResponse(id, await self.result(of: query))
        case .get(let key):
            let value = try await self.store().value(of: key, for: name)
            return RPCResponse(id, result: value.map { ["value": $0] } ?? [:])
        case .put(let key, let value):
            try await self.put(key, value)
            return RPCResponse(id)
        case .delete(let key):
            try await self.store().delete(key, for: name)
            return RPCResponse(id)
        case .list(let prefix):
            let keys = try await self.store().keys(from: prefix, for: name)
            return RPCResponse(id, result: ["keys": .array(keys.map { .string($0) })])
        }
    }

    private func put(_ key: String, _ value: JSONValue) async throws {
        try await self.store().put(value, under: key, for: self.instance.name, quota: self.instance.storage)
    }

    private func store() throws -> PluginStore {
        guard let store = self.context.store else {
            throw PluginRPCError(.internalError, "the state cannot be written")
        }
        return store
    }

    private func door() throws -> any GatewayDoor {
        guard let door = self.context.door else { throw PluginRPCError(.notReady, "there are no virtual devices here") }
        return door
    }

    private static func refusal(_ error: any Error) -> PluginRPCError {
        switch error {
        case let error as PluginRPCError: error
        case let error as GatewayError:
            switch error.code {
            case .unknownDevice, .unknownSession: PluginRPCError(.unknownTarget, error.reason)
            case GatewayError.Code(.messageTooBig): PluginRPCError(.tooLarge, error.reason)
            case GatewayError.Code(.timeout): PluginRPCError(.deadline, error.reason)
            case GatewayError.Code(.sendBufferFull), .unavailable: PluginRPCError(.busy, error.reason)
            case .reservedNamespace: PluginRPCError(.notGranted, error.reason)
            case GatewayError.Code(.invalidRequest): PluginRPCError(.invalidParameters, error.reason)
            default: PluginRPCError(.internalError, error.description)
            }
        case PluginStore.Failure.full(let quota):
            PluginRPCError(.tooLarge, "the store is full: grant.storage is \(quota) bytes")
        case PluginStore.Failure.badKey:
            PluginRPCError(.invalidParameters, "a key has 1 to \(PluginStore.maximumKeyLength) bytes")
        default: PluginRPCError(.internalError, "\(error)")
        }
    }

    // MARK: How things stand

    /// Devices and sessions within the grant.
    func snapshot() async -> PluginSnapshot {
        guard let door = self.context.door else { return PluginSnapshot() }
        let whole = await door.snapshot()
        let bounds = self.bounds
        return PluginSnapshot(
            devices: whole.devices.filter { bounds.allows(device: $0.name) }.map(PluginSnapshot.Device.init),
            sessions: whole.sessions.filter { bounds.allows(device: $0.device) }.map {
                PluginSnapshot.Session(device: $0.device, facts: $0.app)
            })
    }

    private func result(of query: GatewayQuery) async -> GatewayQueryResult {
        guard let door = self.context.door else { return GatewayQueryResult(devices: [], sessions: [], media: []) }
        let whole = await door.snapshot()
        let bounds = self.bounds
        func isMeant(_ device: String) -> Bool {
            bounds.allows(device: device) && (query.device == nil || query.device == device)
        }
        let sessions = whole.sessions.filter { isMeant($0.device) }
        switch query.subject {
        case .devices:
            return GatewayQueryResult(
                devices: whole.devices.filter { isMeant($0.name) }.map(PluginSnapshot.Device.init))
        case .sessions:
            return GatewayQueryResult(
                sessions: sessions.map { PluginSnapshot.Session(device: $0.device, facts: $0.app) })
        case .media:
            return GatewayQueryResult(
                media: sessions.compactMap { session in
                    session.media.map {
                        GatewayMedia(device: session.device, session: session.app.sessionID, status: $0)
                    }
                })
        }
    }
}

extension PluginSnapshot.Device {
    /// A device as plugins are told of it.
    init(_ device: GatewaySnapshot.Device) {
        self.init(name: device.name, friendlyName: device.friendlyName, target: device.target)
    }
}

extension PluginSnapshot.Session {
    /// A session as plugins are told of it.
    init(device: String, facts: SessionFacts) {
        self.init(
            device: device, id: facts.sessionID, app: facts.appID.rawValue, transport: facts.transportID.rawValue,
            name: facts.displayName, namespaces: facts.namespaces.map(\.rawValue))
    }
}
