public import CastWire
import Synchronization

/// What the gateway told a plugin, and what a plugin may ask of it within its grant.
public final class PluginGateway: Sendable {
    private struct Settings {
        var configuration: PluginConfiguration
        var grant: PluginGrant
    }

    private let session: PluginSession
    private let calls: GatewayCalls
    private let settings: Mutex<Settings>

    /// The plugin's name in `gateway.yaml`.
    public let name: String
    /// Which gateway it is.
    public let identity: GatewayIdentity
    /// Limits of size and time.
    public let limits: PluginLimits
    /// A folder of the plugin's own, as an absolute path; nil when it has none.
    public let stateDirectory: String?
    /// A small durable store.
    public let store: PluginStore
    /// Time, which tests move.
    public let clock: PluginClock

    init(_ session: PluginSession, _ request: InitializeRequest) {
        self.session = session
        self.calls = session.calls
        self.settings = Mutex(
            Settings(configuration: PluginConfiguration(request.config), grant: request.grant))
        self.name = request.instance
        self.identity = request.gateway
        self.limits = request.limits
        self.stateDirectory = request.stateDirectory
        self.store = PluginStore(session.calls)
        self.clock = PluginClock(session.clock)
    }

    /// What stands under `config` in `gateway.yaml`; the new one after a reload that was applied.
    public var configuration: PluginConfiguration { self.settings.withLock { $0.configuration } }

    /// What `gateway.yaml` allows.
    public var grant: PluginGrant { self.settings.withLock { $0.grant } }

    func follow(_ configuration: PluginConfiguration, _ grant: PluginGrant?) {
        self.settings.withLock { settings in
            settings.configuration = configuration
            settings.grant = grant ?? settings.grant
        }
    }

    // MARK: Messages

    /// Says something to the app of a device, as a sender of its own.
    /// - Parameters:
    ///   - device: the virtual device, by its name in `gateway.yaml`; on the leg ``MessageLeg/own`` the real one.
    ///   - leg: ``MessageLeg/own`` for the app that the gateway's own session with a real device is with.
    ///   - session: nil for the app that runs, or for the platform in the platform's namespaces.
    /// - Throws: what the gateway refuses it with, such as ``PluginErrorCode/notGranted``.
    public func send(
        _ payload: CastMessage.Payload, namespace: Namespace, to device: String, leg: MessageLeg = .sender,
        session: String? = nil
    ) async throws(PluginRPCError) {
        let message = OutgoingMessage(
            device: device, leg: leg == .sender ? nil : leg, session: session, namespace: namespace, payload: payload)
        _ = try await self.calls.call(.send(message))
    }

    /// Says something to the app of a device, and waits for the answer with the same `requestId`.
    /// - Parameters:
    ///   - device: the virtual device, by its name in `gateway.yaml`; on the leg ``MessageLeg/own`` the real one.
    ///   - leg: ``MessageLeg/own`` for the app that the gateway's own session with a real device is with.
    ///   - session: nil for the app that runs, or for the platform in the platform's namespaces.
    ///   - time: how long to wait.
    /// - Throws: what the gateway refuses it with; ``PluginErrorCode/deadline`` when no answer came.
    public func request(
        _ payload: CastMessage.Payload, namespace: Namespace, of device: String, leg: MessageLeg = .sender,
        session: String? = nil, within time: Duration = .seconds(5)
    ) async throws(PluginRPCError) -> CastMessage.Payload {
        let message = OutgoingMessage(
            device: device, leg: leg == .sender ? nil : leg, session: session, namespace: namespace, payload: payload)
        let response = try await self.calls.call(.send(message, wait: time))
        let result = try response.reading { response throws(PluginLineFault) in try response.sendResult() }
        guard let payload = result.payload else {
            throw PluginRPCError(.internalError, "the gateway's answer holds no payload")
        }
        return payload
    }

    /// Says something to all senders of a session.
    /// - Parameter session: nil for the app that runs on the device.
    /// - Throws: what the gateway refuses it with.
    public func broadcast(
        _ payload: CastMessage.Payload, namespace: Namespace, on device: String, session: String? = nil
    ) async throws(PluginRPCError) {
        let message = OutgoingMessage(device: device, session: session, namespace: namespace, payload: payload)
        _ = try await self.calls.call(.broadcast(message))
    }

    /// Decides about a message that the handler deferred. From anywhere, once.
    public func complete(_ message: PluginMessage, with verdict: Verdict) {
        self.session.complete(message.id, with: verdict)
    }

    // MARK: Operations

    /// Has an operation of the gateway done: `media.seek`, or one of another plugin's.
    /// - Parameters:
    ///   - input: what it takes, as `Docs/operations-reference.md` says.
    ///   - wait: how long to wait for the outcome of a command, up to 10 seconds; nil for those.
    ///   - idempotencyKey: a second call with the same key is answered as the first.
    /// - Returns: what it answers; with the status 202 the request that goes on.
    /// - Throws: what the gateway refuses it with: ``PluginErrorCode/notGranted``, or an error whose data is the problem, as HTTP callers
    ///   get it.
    public func call(
        _ operation: String, _ input: JSONObject = [:], wait: Duration? = nil, idempotencyKey: String? = nil
    ) async throws(PluginRPCError) -> GatewayCallResult {
        let response = try await self.calls.call(
            .operation(
                GatewayCall(operation: operation, input: input, wait: wait, idempotencyKey: idempotencyKey)))
        return try response.reading { response throws(PluginLineFault) in try response.callResult() }
    }

    /// Says how far an operation is that takes its time; callers see it in its request.
    /// - Parameters:
    ///   - fraction: how much is done, from 0 to 1; what is outside of that is left out.
    ///   - text: what is being done, for people.
    public func progress(of call: OperationCall, fraction: Double? = nil, text: String? = nil) {
        let known = fraction.flatMap { (0...1).contains($0) ? $0 : nil }
        self.session.progressed(OperationProgress(call: call.id, fraction: known, text: text))
    }

    // MARK: Devices

    /// Names Cast devices that the plugin has found by a way of its own, or that have changed: the gateway lists them, and can be told to use
    /// them, as long as this process runs.
    /// - Throws: what the gateway refuses it with: ``PluginErrorCode/notGranted``, or ``PluginErrorCode/invalidParameters`` for a name that
    ///   another device has; then none of them is taken.
    public func publish(_ devices: [ProvidedDevice]) async throws(PluginRPCError) {
        _ = try await self.calls.call(.publish(devices))
    }

    /// Says that devices are not there any more; names that were not published are no error.
    /// - Throws: what the gateway refuses it with.
    public func withdraw(_ names: [String]) async throws(PluginRPCError) {
        _ = try await self.calls.call(.withdraw(names))
    }

    // MARK: The gateway

    /// Puts an event on the gateway's bus; of those with one key, those that come again may be left out.
    /// - Throws: what the gateway refuses it with.
    public func emit(_ event: String, _ data: JSONValue = [:], key: String? = nil) async throws(PluginRPCError) {
        _ = try await self.calls.call(.emit(GatewayEmitRequest(event: event, data: data, key: key)))
    }

    /// The virtual devices.
    /// - Throws: what the gateway refuses it with.
    public func devices() async throws(PluginRPCError) -> [PluginSnapshot.Device] {
        try await self.query(.devices, of: nil).devices ?? []
    }

    /// The apps that run.
    /// - Parameter device: on this virtual device only.
    /// - Throws: what the gateway refuses it with.
    public func sessions(on device: String? = nil) async throws(PluginRPCError) -> [PluginSnapshot.Session] {
        try await self.query(.sessions, of: device).sessions ?? []
    }

    /// What plays.
    /// - Parameter device: on this virtual device only.
    /// - Throws: what the gateway refuses it with.
    public func media(on device: String? = nil) async throws(PluginRPCError) -> [GatewayMedia] {
        try await self.query(.media, of: device).media ?? []
    }

    private func query(
        _ subject: GatewayQuery.Subject, of device: String?
    ) async throws(PluginRPCError) -> GatewayQueryResult {
        let response = try await self.calls.call(.query(GatewayQuery(subject, device: device)))
        return try response.reading { response throws(PluginLineFault) in try response.queryResult() }
    }

    /// Writes a line into the gateway's log.
    public func log(_ level: Effect.LogLevel, _ message: String, _ fields: JSONObject = [:]) {
        self.session.log(PluginLogRecord(level, message, fields: fields))
    }

    /// Tells another health at once, without waiting to be asked.
    public func healthChanged(_ health: PluginHealth) {
        self.session.healthChanged(health)
    }
}

/// What stands under `config` in `gateway.yaml`. The gateway has checked it against the manifest's schema, if there is one.
public struct PluginConfiguration: Hashable, Sendable {
    /// The values.
    public let json: JSONObject

    /// Wraps values.
    public init(_ json: JSONObject) {
        self.json = json
    }

    /// The configuration as a type.
    /// - Throws: ``ConfigurationProblem`` that says where it does not fit; the gateway finds the line in `gateway.yaml`.
    public func decode<Value: Decodable>(_: Value.Type = Value.self) throws(ConfigurationProblem) -> Value {
        do throws(JSONCodingError) {
            return try JSONValueDecoder.decode(Value.self, from: .object(self.json))
        } catch {
            throw ConfigurationProblem(path: error.pointer, message: error.reason)
        }
    }
}
