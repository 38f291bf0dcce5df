import CastWire
import GatewayCore
import NIOCore
import PluginKit

/// The requests of one run of a plugin and the effects of its verdicts, answered in the order in which they came.
///
/// They are bounded: beyond 256 that wait, more are refused. Requests that wait for a device are answered beside the others,
/// 64 at most.
final class PluginRequests: Sendable {
    enum Item: Sendable {
        /// A request; the plugin waits for the answer. The depth is that of the deepest operation that it did when it asked.
        case call(PluginCall, PluginRequestID, cause: MessageOrigin?, depth: Int)
        /// An effect of a verdict, which is not answered.
        case effect(Effect)
    }

    /// The number of requests that may wait; more are refused.
    private static let limit = 256
    /// The most bytes around the result in a line.
    private static let envelopeLength = 1024
    /// The number of requests that wait for a device and may be under way.
    private static let waitingLimit = 64

    private let context: PluginContext
    private let log: PluginLog
    private let items: AsyncStream<Item>
    private let input: AsyncStream<Item>.Continuation

    init(context: PluginContext, log: PluginLog) {
        self.context = context
        self.log = log
        (self.items, self.input) = AsyncStream.makeStream(
            of: Item.self, bufferingPolicy: .bufferingOldest(Self.limit))
    }

    /// Adds a request behind those that came before.
    /// - Returns: false when too many wait.
    func add(_ item: Item) -> Bool {
        if case .enqueued = self.input.yield(item) { true } else { false }
    }

    func finish() { self.input.finish() }

    /// Answers requests until the task is cancelled or ``finish()`` was called.
    func serve(_ run: PluginRun, on connection: PluginConnection) async {
        await withTaskGroup(of: Void.self) { group in
            var waiting = 0
            for await item in self.items {
                switch item {
                case .effect(let effect): await self.perform(effect, of: run.instance)
                case .call(.send(let message, .some(let wait)), let id, let cause, _):
                    if waiting >= Self.waitingLimit {
                        await group.next()
                        waiting -= 1
                    }
                    waiting += 1
                    group.addTask {
                        connection.answer(await self.answer(.send(message, wait: wait), id, cause, of: run))
                    }
                case .call(.operation(let call), let id, let cause, let depth):
                    if waiting >= Self.waitingLimit {
                        await group.next()
                        waiting -= 1
                    }
                    waiting += 1
                    group.addTask {
                        connection.answer(
                            await self.answer(call, id, cause, of: run, depth: depth), hidesSecrets: true)
                    }
                case .call(let call, let id, let cause, _):
                    connection.answer(await self.answer(call, id, cause, of: run))
                }
            }
            group.cancelAll()
        }
    }

    // MARK: Effects

    private func perform(_ effect: Effect, of instance: PluginInstance) async {
        do {
            switch effect {
            case .put(let key, let value): try await self.put(key, value, for: instance)
            case .delete(let key): try await self.store().delete(key, for: instance.name)
            case .log(let level, let text): self.log.take(PluginLogRecord(level, text))
            case .replyToSender, .broadcast, .sendToReceiver, .emit: break
            }
        } catch {
            let error = Self.refusal(error)
            self.log.take(PluginLogRecord(.warning, "An effect failed", fields: ["reason": .string(error.description)]))
        }
    }

    // MARK: Requests

    private func answer(
        _ call: PluginCall, _ id: PluginRequestID, _ cause: MessageOrigin?, of run: PluginRun
    ) async -> RPCResponse {
        do {
            return try await self.result(of: call, id, cause, of: run)
        } catch {
            return RPCResponse(id, error: Self.refusal(error))
        }
    }

    private func answer(
        _ call: GatewayCall, _ id: PluginRequestID, _ cause: MessageOrigin?, of run: PluginRun, depth: Int
    ) async -> RPCResponse {
        do throws(PluginRPCError) {
            let result = try await self.context.operations.call(call, for: run.instance, depth: depth, after: cause)
            let response = RPCResponse(id, result)
            guard case .success(let text) = response.outcome,
                text.readableBytes < PluginProtocol.maximumLineLength - Self.envelopeLength
            else { throw PluginRPCError(.tooLarge, "the answer of '\(call.operation)' does not fit into a line") }
            return response
        } catch {
            return RPCResponse(id, error: error)
        }
    }

    private func result(
        of call: PluginCall, _ id: PluginRequestID, _ cause: MessageOrigin?, of run: PluginRun
    ) async throws -> RPCResponse {
        let instance = run.instance
        let name = instance.name
        switch call {
        case .send(let message, let wait):
            let payload = try await self.internalSenders().send(
                message.payload, namespace: message.namespace,
                to: AppAddress(device: message.device, leg: message.leg ?? .sender, session: message.session),
                as: MessageOrigin(name, after: cause), wait: wait)
            return RPCResponse(id, GatewaySendResult(payload: payload))
        case .broadcast(let message):
            try await self.internalSenders().broadcast(
                message.payload, namespace: message.namespace,
                to: AppAddress(device: message.device, leg: message.leg ?? .sender, session: message.session),
                as: MessageOrigin(name, after: cause))
            return RPCResponse(id)
        case .operation: throw PluginRPCError(.internalError, "operations are done beside the other requests")
        case .publish(let devices):
            guard run.bounds.provides(.devices) else { throw Self.noProvider }
            try self.context.devices.publish(devices, by: name, in: run.number)
            // A reload may have taken the right away meanwhile, before there was anything to end.
            guard run.bounds.provides(.devices) else {
                self.context.devices.ended(run.number)
                throw Self.noProvider
            }
            return RPCResponse(id)
        case .withdraw(let names):
            self.context.devices.withdraw(names, by: name, in: run.number)
            return RPCResponse(id)
        case .emit(let request):
            self.context.events.publish(.custom(name: request.event, data: request.data))
            return RPCResponse(id)
        case .query(let query): return RPCResponse(id, await self.result(of: query, within: run.bounds))
        case .get(let key):
            let value = try await self.store().value(of: key, for: name)
            return RPCResponse(id, result: value.map { ["value": $0] } ?? [:])
        case .put(let key, let value):
            try await self.put(key, value, for: instance)
            return RPCResponse(id)
        case .delete(let key):
            try await self.store().delete(key, for: name)
            return RPCResponse(id)
        case .list(let prefix):
            let keys = try await self.store().keys(from: prefix, for: name)
            return RPCResponse(id, result: ["keys": .array(keys.map { .string($0) })])
        }
    }

    private static let noProvider = PluginRPCError(.notGranted, "not granted: to provide devices (grant.provides)")

    private func put(_ key: String, _ value: JSONValue, for instance: PluginInstance) async throws {
        try await self.store().put(value, under: key, for: instance.name, quota: instance.storage)
    }

    private func store() throws -> PluginDatabase {
        guard let store = self.context.store else {
            throw PluginRPCError(.internalError, "the state cannot be written")
        }
        return store
    }

    private func internalSenders() throws -> any InternalSenders {
        guard let internalSenders = self.context.internalSenders else {
            throw PluginRPCError(.notReady, "there are no virtual devices here")
        }
        return internalSenders
    }

    /// The code of a gateway's error on the plugin wire; its own word stands in `data.code`.
    private static func code(of code: GatewayError.Code) -> PluginErrorCode {
        switch code {
        case .unknownDevice, .unknownSession: .unknownTarget
        case .unsupportedNamespace: .unsupportedNamespace
        case GatewayError.Code(.messageTooBig): .tooLarge
        case GatewayError.Code(.timeout): .deadline
        case GatewayError.Code(.sendBufferFull), .unavailable: .busy
        case .reservedNamespace: .notGranted
        case GatewayError.Code(.invalidRequest): .invalidParameters
        default: .internalError
        }
    }

    private static func refusal(_ error: any Error) -> PluginRPCError {
        switch error {
        case let error as PluginRPCError: error
        case let error as GatewayError:
            PluginRPCError(Self.code(of: error.code), error.reason, data: ["code": .string(error.code.description)])
        case PluginDatabase.Failure.full(let quota):
            PluginRPCError(.tooLarge, "the store is full: grant.storage is \(quota) bytes")
        case PluginDatabase.Failure.badKey:
            PluginRPCError(.invalidParameters, "a key has 1 to \(PluginDatabase.maximumKeyLength) bytes")
        default: PluginRPCError(.internalError, "\(error)")
        }
    }

    // MARK: Devices and sessions

    /// Devices and sessions within a grant.
    func snapshot(within bounds: PluginBounds) async -> PluginSnapshot {
        guard let internalSenders = self.context.internalSenders else { return PluginSnapshot() }
        let whole = await internalSenders.snapshot()
        let own = bounds.hasOwnLeg ? await internalSenders.ownSnapshot() : GatewaySnapshot()
        return PluginSnapshot(
            devices: whole.devices.filter { bounds.allows(device: $0.name) }.map(PluginSnapshot.Device.init),
            sessions: whole.sessions.filter { bounds.allows(device: $0.device) }.map {
                PluginSnapshot.Session(device: $0.device, facts: $0.app)
            },
            realDevices: bounds.hasOwnLeg
                ? own.realDevices.filter { bounds.allows(device: $0.name, on: .own) }.map(
                    PluginSnapshot.RealDevice.init)
                : nil,
            ownSessions: bounds.hasOwnLeg
                ? own.ownSessions.filter { bounds.allows(device: $0.device, on: .own) }.map(
                    PluginSnapshot.OwnSession.init)
                : nil)
    }

    private func result(of query: GatewayQuery, within bounds: PluginBounds) async -> GatewayQueryResult {
        guard let internalSenders = self.context.internalSenders else {
            return GatewayQueryResult(devices: [], sessions: [], media: [])
        }
        let whole = await internalSenders.snapshot()
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
    init(_ device: GatewaySnapshot.Device) {
        self.init(
            name: device.name, friendlyName: device.friendlyName, target: device.target,
            senders: device.connected.isEmpty ? nil : device.connected.map(PluginSnapshot.Sender.init))
    }
}

extension PluginSnapshot.Session {
    init(device: String, facts: SessionFacts) {
        self.init(
            device: device, id: facts.sessionID, app: facts.appID.rawValue, transport: facts.transportID.rawValue,
            name: facts.displayName, namespaces: facts.namespaces.map(\.rawValue), versionCode: facts.versionCode)
    }
}

extension PluginSnapshot.RealDevice {
    init(_ device: GatewaySnapshot.RealDevice) {
        self.init(
            name: device.name, friendlyName: device.friendlyName, id: device.id, model: device.model,
            isOnline: device.isOnline)
    }
}

extension PluginSnapshot.OwnSession {
    init(_ facts: CastSessionFacts) {
        self.init(
            device: facts.device, number: facts.number, state: facts.state.rawValue, app: facts.appID.rawValue,
            id: facts.sessionID, transport: facts.transportID?.rawValue, name: facts.app?.displayName ?? "",
            namespaces: facts.app?.namespaces.map(\.rawValue) ?? [])
    }
}
