import CastTransport
import CastWire
import ControlAPI
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayJournal
import GatewayOperations
import GatewaySettings
import Logging
import NIOCore
import ServiceLifecycle

/// The admin listener: callers reach the operations of all features there, and learn how the gateway is.
///
/// It answers from the first moment to the last, and tells commands where it is. When it answers, or will not, the gateway is
/// alone: a second one is refused without having touched a device.
final class AdminListenerFeature: GatewayFeature {
    let name = "admin listener"
    private let context: GatewayContext
    private let admission: Admission
    private let events: any EventSource
    private let announcement: RunAnnouncement?
    private let trace: @Sendable (_ plugin: String) -> AsyncStream<String>?

    /// - Parameters:
    ///   - admission: counts connections over all listeners.
    ///   - events: what callers can follow.
    ///   - announcement: tells commands where the gateway is while it runs; nil when none need to know.
    ///   - trace: what a plugin's wire says from now on; nil for one that does not run.
    init(
        _ context: GatewayContext, admission: Admission, events: any EventSource, announcement: RunAnnouncement?,
        trace: @escaping @Sendable (_ plugin: String) -> AsyncStream<String>?
    ) {
        self.trace = trace
        self.context = context
        self.admission = admission
        self.events = events
        self.announcement = announcement
    }

    func services(among features: [any GatewayFeature], serving operations: OperationCatalogue) -> [StagedService] {
        let probes = GatewayProbes(context: self.context, features: features).probes(trace: self.trace)
        let configuration = self.context.configuration.current
        let server = ControlServer(
            configuration: configuration.admin, stateDirectory: configuration.gateway.stateDirectory,
            catalogue: operations, probes: probes,
            version: self.context.version, events: self.events, admission: self.admission, audit: self.context.audit,
            on: self.context.controlLoops.group, logger: self.context.makeLogger("Admin"),
            onSettled: { place in
                self.announce(place)
                self.context.lifecycle.reach(.alone)
            })
        return [StagedService(.begun, AnnouncedListener(server: server, announcement: self.announcement))]
    }

    /// Ends the event loops of all listeners of the control plane: this one, which is the first to begin, is the last to end.
    func close() async { await self.context.controlLoops.close() }

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
