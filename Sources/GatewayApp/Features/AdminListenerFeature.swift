import CastTransport
import CastWire
import ControlAPI
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import ServiceLifecycle

/// What callers of the admin listener can have features do, collected from all of them by ``GatewayFeature/addOperations(to:)``.
///
/// What a feature does not declare is answered with 404.
struct AdminOperations: Sendable {
    /// Reads the configuration anew and puts it in force.
    var reload: @Sendable (_ isDryRun: Bool) async -> ControlAnswer = { _ in Self.missing }
    /// What is done with sessions of the gateway's own.
    var sessions = SessionActions(
        list: { Self.missing }, start: { _, _ in Self.missing }, end: { _, _ in Self.missing })
    /// What is done with virtual devices.
    var virtualDevices = VirtualDeviceActions(list: { Self.missing }, forget: { _ in Self.missing })
    /// What is done with plugins.
    var plugins = PluginActions(
        list: { Self.missing }, inspect: { _ in Self.missing }, command: { _, _ in Self.missing }, trace: { _ in nil })

    /// What is done with handlers.
    var handlers = HandlerActions(list: { Self.missing }, command: { _, _, _ in Self.missing })

    private static var missing: ControlAnswer {
        .error(status: 404, code: "not_found", message: "this gateway has no such operation")
    }
}

/// The admin listener: callers reach the operations of all features there, and learn how the gateway is.
///
/// It answers from the first moment to the last, and tells commands where it is. When it answers, or will not, the gateway is
/// alone: a second one is refused without having touched a device.
final class AdminListenerFeature: GatewayFeature {
    /// How long the event loops have for one turn before they count as stuck.
    private static let livenessTimeout = Duration.seconds(2)

    let name = "admin listener"
    private let context: GatewayContext
    private let admission: Admission
    private let announcement: RunAnnouncement?

    /// - Parameters:
    ///   - admission: counts connections over all listeners.
    ///   - announcement: tells commands where the gateway is while it runs; nil when none need to know.
    init(_ context: GatewayContext, admission: Admission, announcement: RunAnnouncement?) {
        self.context = context
        self.admission = admission
        self.announcement = announcement
    }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        var operations = AdminOperations()
        for feature in features { feature.addOperations(to: &operations) }
        var actions = ControlActions(
            reload: operations.reload, liveness: { await self.liveness() },
            readiness: { self.readiness(of: features, isVerbose: $0) },
            version: { ControlAnswer(["name": "castway", "version": .string(self.context.version)]) },
            effectiveConfiguration: { self.effectiveConfiguration }, sessions: operations.sessions,
            plugins: operations.plugins, handlers: operations.handlers)
        actions.virtualDevices = operations.virtualDevices
        let configuration = self.context.configuration.current
        let server = ControlServer(
            configuration: configuration.admin, stateDirectory: configuration.gateway.stateDirectory, actions: actions,
            admission: self.admission, logger: self.context.makeLogger("Admin"),
            onSettled: { place in
                self.announce(place)
                self.context.lifecycle.reach(.alone)
            })
        return [StagedService(.begun, AnnouncedListener(server: server, announcement: self.announcement))]
    }

    private func announce(_ place: ControlPlace) {
        let configuration = self.context.configuration.current
        let directory = configuration.gateway.stateDirectory
        var admin: [String] = []
        var socket = AdminAddress.stateDirectory.socketPath(stateDirectory: directory) ?? ""
        switch place {
        case .socket(let path):
            socket = path
            admin = ["unix:\(RunningPath.absolute(path))"]
        case .tcp(let address): admin = ["\(address)"]
        case .nowhere: break
        }
        self.announcement?.begin(
            name: configuration.gateway.name, version: self.context.version, stateDirectory: directory, admin: admin,
            socket: socket)
    }

    // MARK: What is asked of the gateway itself

    /// Whether every event loop takes a turn.
    private func liveness() async -> ControlAnswer {
        let isAlive = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for eventLoop in self.context.eventLoops.makeIterator() {
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

    /// Whether senders can use the gateway, and no feature is an obstacle.
    private func readiness(of features: [any GatewayFeature], isVerbose: Bool) -> ControlAnswer {
        let phase = self.context.lifecycle.phase
        let obstacles = features.compactMap(\.obstacle)
        let isReady = phase == .ready && obstacles.isEmpty
        var body: JSONObject = ["status": .string(phase == .ready && !isReady ? "waiting" : phase.rawValue)]
        if isVerbose {
            // From the senders inwards, so the virtual devices first.
            for detail in features.reversed().flatMap(\.readinessDetails) { body[detail.name] = detail.value }
        }
        guard !isReady else { return ControlAnswer(body) }
        return .error(
            status: 503, code: "not_ready",
            message: phase == .ready ? obstacles.joined(separator: "; ") : "the gateway is \(phase.rawValue)",
            details: body.members.map { ($0.name, $0.value) })
    }

    private var effectiveConfiguration: ControlAnswer {
        guard let document = self.context.configuration.document else {
            return .error(status: 404, code: "not_found", message: "the gateway was started without a file")
        }
        return ControlAnswer(body: document.effectiveJSON.text(indented: true) + "\n")
    }
}

/// The listener, and the announcement that ends with it.
private struct AnnouncedListener: Service, CustomStringConvertible {
    let server: ControlServer
    let announcement: RunAnnouncement?

    var description: String { self.server.description }

    func run() async throws {
        defer { self.announcement?.end() }
        try await self.server.run()
    }
}
