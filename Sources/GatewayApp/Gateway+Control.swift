import CastWire
import ControlAPI
import DeviceSessions
import GatewayConfig
import GatewayCore
import NIOCore
import PluginHosting
import Synchronization
import VirtualDevices

/// What the admin listener is answered.
extension Gateway {
    /// How long the event loops have for one turn before they count as stuck.
    private static let livenessTimeout = Duration.seconds(2)

    /// - Parameter onSettled: called when it is known where the listener listens.
    func controlServer(onSettled: @escaping @Sendable (ControlPlace) -> Void) -> ControlServer {
        let configuration = self.configuration
        let actions = ControlActions(
            reload: { isDryRun in Self.answer(await self.reload(isDryRun: isDryRun), isDryRun: isDryRun) },
            liveness: { await self.liveness() }, readiness: { self.readiness(isVerbose: $0) },
            version: { ControlAnswer(["name": "castway", "version": .string(self.version)]) },
            effectiveConfiguration: { self.effectiveConfiguration }, sessions: self.sessionActions,
            plugins: self.pluginActions)
        return ControlServer(
            configuration: configuration.admin, stateDirectory: configuration.gateway.stateDirectory, actions: actions,
            admission: self.state.withLock { $0.environment }.admission, logger: self.makeLogger("Admin"),
            onSettled: onSettled)
    }

    static func answer(_ outcome: ReloadOutcome, isDryRun: Bool) -> ControlAnswer {
        switch outcome {
        case .success(let plan):
            let changes = plan.changes.map { change in
                var object: JSONObject = ["key": .string(change.path), "reload": .string(change.reload.rawValue)]
                if let note = change.note { object["note"] = .string(note) }
                return JSONValue.object(object)
            }
            return ControlAnswer(["dry_run": .bool(isDryRun), "changes": .array(changes)])
        case .failure(let failure):
            let error = failure.error
            switch failure {
            case .invalid(let report):
                let problems = (try? JSONReader.read(report.json())) ?? .array([])
                return .error(
                    status: 422, code: "\(error.code)", message: error.reason,
                    details: [("problems", problems), ("report", .string(report.text()))])
            case .takesRestart(let keys):
                return .error(
                    status: 409, code: "\(error.code)", message: error.reason,
                    details: [("keys", .array(keys.map { .string($0) }))])
            case .pluginRefused: return .error(status: 422, code: "\(error.code)", message: error.reason)
            case .notPrepared, .pluginNotReady: return .error(status: 409, code: "\(error.code)", message: error.reason)
            case .unavailable: return .error(status: 503, code: "\(error.code)", message: error.reason)
            }
        }
    }

    /// Whether every event loop takes a turn.
    private func liveness() async -> ControlAnswer {
        let isAlive = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for eventLoop in self.eventLoops.makeIterator() {
                    guard (try? await eventLoop.submit {}.get()) != nil else { return false }
                }
                return true
            }
            group.addTask {
                try? await Task.sleep(for: Self.livenessTimeout)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        if isAlive { return ControlAnswer(["status": "alive"]) }
        return .error(status: 503, code: "not_alive", message: "an event loop does not turn")
    }

    private func readiness(isVerbose: Bool) -> ControlAnswer {
        let phase = self.state.withLock { $0.phase }
        let missing = self.plugins.missing
        let isReady = phase == .ready && missing.isEmpty
        var body: JSONObject = ["status": .string(phase == .ready && !isReady ? "waiting" : phase.rawValue)]
        if isVerbose {
            let endpoints = self.endpoints
            body["virtual_devices"] = .object(
                JSONObject(
                    self.configuration.virtualDevices.map { device in
                        let isListening = endpoints.contains { $0.name == device.name }
                        return (device.name, isListening ? "listening" : "not listening")
                    }))
            // A device that is off is no fault of the gateway's, so it does not count.
            body["devices"] = .object(
                JSONObject(
                    self.configuration.discovery.staticDevices.map {
                        ($0.name, self.isOnline($0.name) ? "online" : "offline")
                    }))
            body["authentication"] = self.authentications
        }
        if isVerbose {
            body["plugins"] = .object(
                JSONObject(self.plugins.current.map { ($0.name, .string($0.pluginState.rawValue)) }))
        }
        guard !isReady else { return ControlAnswer(body) }
        let names = missing.joined(separator: ", ")
        return .error(
            status: 503, code: "not_ready",
            message: phase == .ready ? "required plugins are not ready: \(names)" : "the gateway is \(phase.rawValue)",
            details: body.members.map { ($0.name, $0.value) })
    }

    /// What came of asking devices to prove themselves, of those that have been asked.
    private var authentications: JSONValue {
        let devices = self.configuration.deviceAddresses.keys.sorted()
        return .object(
            JSONObject(
                devices.compactMap { device in
                    self.authentication(of: device).map { record in
                        let outcome = record.outcome
                        var entry: JSONObject = ["outcome": .string(outcome.word)]
                        if !outcome.isVerified {
                            entry["code"] = .string(outcome.code.name)
                            entry["reason"] = .string("\(outcome)")
                        }
                        return (device, .object(entry))
                    }
                }))
    }

    private var effectiveConfiguration: ControlAnswer {
        guard let document = self.state.withLock({ $0.document }) else {
            return .error(status: 404, code: "not_found", message: "the gateway was started without a file")
        }
        return ControlAnswer(body: document.effectiveJSON.text(indented: true) + "\n")
    }
}
