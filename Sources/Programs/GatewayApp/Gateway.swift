package import CastDiscovery
package import CastIdentity
package import CastWire
import ControlAPI
import DeviceControl
import DeviceHosting
package import DeviceSessions
package import FeatureContract
package import GatewayConfig
package import GatewayCore
package import GatewayJournal
package import GatewayLogging
import GatewayOperations
package import GatewaySettings
import GuestAccess
import HandlerControl
package import Logging
import NIOCore
import NIOPosix
package import NamespaceHandlers
package import PluginHosting
import ServiceLifecycle
import Synchronization
import SystemPrimitives
package import UnixSignals
package import VirtualDevices

/// The running gateway: everything that `gateway.yaml` describes, as a list of features.
///
/// ``GatewayFeatures`` lists them, ``GatewayFeature`` says what each of them is and when it is called, ``ReloadProcedure`` how another
/// configuration comes into force. Read ``run(hangUps:onReady:)`` for the order in which the gateway starts and stops.
package final class Gateway: Sendable {
    let parts: GatewayFeatures
    /// The features, in their order.
    let features: [any GatewayFeature]

    /// What callers can have the gateway do, on every way in.
    let operations: OperationCatalogue

    /// What all features may use.
    var context: GatewayContext { self.parts.context }

    /// Prepares a gateway: handlers, identities, sessions. Nothing is listened on or dialled yet.
    ///
    /// Takes a while to make the keys of new virtual devices, a second each on one processor; the log says how far it is.
    /// - Parameters:
    ///   - document: the checked tree that the configuration was read from, for those who want to see it.
    ///   - source: where ``reload(isDryRun:)`` reads; without one there is nothing to read anew.
    ///   - version: the version of the program.
    ///   - makeLogger: makes the logger of a component; `log.levels` names components.
    ///   - applyLog: puts a changed `log` in force.
    ///   - network: where devices are found and announced; nil for the network that Avahi knows.
    ///   - announcement: tells commands where the gateway is while it runs; nil when none need to know.
    ///   - launcher: the program that starts plugins; nil for the one that comes with Castway.
    ///   - pluginTimings: how patient the gateway is with plugins.
    ///   - pinTimes: how patient the gateway is with devices that discovery finds.
    ///   - descriptorLimit: how many descriptors there are to be shared out; nil for the process's limit.
    ///   - wallClock: seconds since 1970, for certificates.
    /// - Throws: `IdentityError` when the state directory or a PEM file cannot be used, or another gateway uses the state
    ///   directory; ``GatewayError`` when another gateway answers at the admin socket, or two handlers claim the same.
    package init(
        configuration: GatewayConfiguration, document: ConfigDocument? = nil, source: ConfigurationSource? = nil,
        version: String = "", makeLogger: @escaping @Sendable (String) -> Logger = { Logger(label: $0) },
        applyLog: @escaping @Sendable (LogConfiguration) -> Void = { LoggingSetup.apply($0) },
        network: (any MulticastNetwork)? = nil, announcement: RunAnnouncement? = nil, launcher: String? = nil,
        pluginTimings: PluginTimings = PluginTimings(),
        pinTimes: DevicePinStateMachine.Times = DevicePinStateMachine.Times(), descriptorLimit: Int? = nil,
        wallClock: @escaping @Sendable () -> Int64 = { WallClock.secondsSince1970 }
    ) async throws {
        let context = GatewayContext(
            version: version, configuration: CurrentConfiguration(configuration, document: document),
            eventLoops: MultiThreadedEventLoopGroup.singleton, audit: AuditLog(makeLogger("Audit")),
            makeLogger: makeLogger, wallClock: wallClock)
        let parts = try await GatewayFeatures(
            context, source: source, applyLog: applyLog, network: network, announcement: announcement,
            launcher: launcher, pluginTimings: pluginTimings, pinTimes: pinTimes, descriptorLimit: descriptorLimit)
        self.parts = parts
        self.features = parts.list
        self.operations = parts.catalogue(parts.requests.requests)
        // With what features have added to it.
        let completed = context.configuration.current
        try context.registry.replaceAll(
            with: self.features.flatMap(\.handlers), following: completed.handlerPlan,
            guardedBy: completed.messageGuard)
        try parts.state.remember()
    }

    // MARK: Running

    /// Runs until SIGTERM, SIGINT, or graceful shutdown of the task.
    ///
    /// Nothing here enforces `shutdown.total`: ``GatewayDaemon`` does, which can end the process.
    ///
    /// The services of the features start in the order of the list, each when its stage is reached (``GatewayLifecycle``), and
    /// stop in the reverse order: the admin listener answers from the first moment to the last, and nothing else begins before it
    /// does. At the end the state database is closed, all of it in one file.
    /// - Parameters:
    ///   - hangUps: signals that ask for a reload, trapped by the caller before anything else.
    ///   - onReady: called once, when every virtual device can be connected to and no feature is an obstacle.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address is taken.
    package func run(
        hangUps: UnixSignalsSequence? = nil,
        onReady: @escaping @Sendable (_ endpoints: [VirtualDeviceEndpoints]) -> Void = { _ in }
    ) async throws {
        let (features, lifecycle) = (self.features, self.context.lifecycle)
        let settings = self.configuration.gateway
        self.context.makeLogger("Gateway").info(
            "Starting", metadata: ["gateway": "\(settings.id)", "name": "\(settings.name)"])
        lifecycle.whenReached(.devicesListening) {
            let endpoints = self.endpoints
            Self.whenReady(features) { onReady(endpoints) }
        }
        var services = features.flatMap { $0.services(among: features, serving: self.operations) }
            .map { lifecycle.held($0) }
        if let hangUps {
            services.append(
                HangUpService(signals: hangUps, logger: self.context.makeLogger("Reload")) { _ = await self.reload() })
        }
        services.append(lifecycle.watch)
        let group = ServiceGroupConfiguration(
            services: services.map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: self.context.makeLogger("Gateway"))
        do {
            try await ServiceGroup(configuration: group).run()
        } catch {
            await self.close()
            throw error
        }
        await self.close()
    }

    /// Calls back when no feature is an obstacle any more.
    private static func whenReady(_ features: [any GatewayFeature], _ callback: @escaping @Sendable () -> Void) {
        let left = Mutex(features.count)
        for feature in features {
            feature.whenReady {
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { callback() }
            }
        }
    }

    private func close() async {
        self.context.lifecycle.end()
        for feature in self.features.reversed() { await feature.close() }
    }

    /// True from the moment when the gateway begins to end.
    var isStopping: Bool { self.context.lifecycle.phase == .stopping }

    // MARK: Reloads

    /// Reads the configuration anew and puts it in force, while every connection and session stays.
    ///
    /// Reloads are done one after the other. A failure leaves everything as it was.
    /// - Parameter isDryRun: only says what would change.
    package func reload(isDryRun: Bool = false) async -> ReloadOutcome {
        await self.parts.reloads.reload(nil, isDryRun: isDryRun)
    }

    /// Puts another configuration in force, as ``reload(isDryRun:)`` does with that of the file.
    package func reload(to configuration: GatewayConfiguration, isDryRun: Bool = false) async -> ReloadOutcome {
        await self.parts.reloads.reload(configuration, isDryRun: isDryRun)
    }

    /// Sets the observer of every reload that is not a dry run; nil for none.
    func watchReloads(_ watch: ReloadWatch?) {
        self.parts.reloads.watch(watch)
    }

    // MARK: What features have

    /// The configuration in force.
    package var configuration: GatewayConfiguration { self.context.configuration.current }

    /// Where handlers come and go while it runs.
    package var registry: HandlerRegistry { self.context.registry }

    /// What happens in it.
    package var events: EventBus { self.context.events }

    /// What happened in it, numbered, for readers.
    package var journal: any EventSource { self.parts.journal.journal }

    /// Where connections live.
    var eventLoops: any EventLoopGroup { self.context.eventLoops }

    /// What launches follow: `launch`, and credentials that were set since.
    package var launchSettings: LaunchSettings { self.parts.handlers.launch }

    /// The plugins that run.
    package var plugins: PluginFleet { self.parts.plugins.fleet }

    /// The devices that are known, found or written down, and how they are searched for.
    package var deviceDiscovery: DeviceDiscovery { self.parts.discovery.discovery }

    /// The ids under which the virtual devices that run are announced.
    package var deviceIDs: [String] { self.parts.virtualDevices.fleet.deviceIDs }

    /// Where the virtual devices can be reached now, by name.
    package var endpoints: [VirtualDeviceEndpoints] { self.parts.virtualDevices.fleet.endpoints }

    /// Where metrics can be read; nil when that is the admin listener alone.
    package var metricsPort: Int? { self.parts.metrics.port }

    /// The virtual devices that run now.
    var running: RunningDevices { self.parts.virtualDevices.running }

    /// Sends and receives messages for what has no channel to a virtual device: plugins, bridges, the API.
    package var internalSenders: any InternalSenders { VirtualDeviceSenders(self.running) }

    /// Where the API listens; nil while it does not.
    var apiPort: Int? { self.parts.api.port }

    /// Where guests redeem join codes; nil while they cannot.
    var joinPort: Int? { self.parts.guests.port }

    /// How many senders are connected now, those too whose TLS does not stand yet.
    var senderCount: Int { self.parts.admission.senderCount }

    /// The root that senders must trust to accept the virtual devices.
    /// - Throws: `IdentityError`.
    package func rootCertificate() throws -> RootCertificate {
        try self.parts.state.identities.root(now: self.context.wallClock())
    }

    /// The real devices, and the sessions with apps on them.
    package var deviceSessions: DeviceSessionDirectory { self.parts.devices.directory }

    /// True while the channel to a device is open; false for one that does not exist.
    package func isOnline(_ device: String) -> Bool { self.deviceSessions.isOnline(device) }

    /// What came of asking a device to prove itself, the last time; nil while it has not been asked.
    package func authentication(of device: String) -> DeviceAuthenticationRecord? {
        self.deviceSessions.authentication(of: device)
    }

    /// Starts a session with an app on a device, with the credentials and the kinds of app that `launch` says.
    /// - Parameters:
    ///   - device: a device of the configuration, or the id or name of one that discovery has found.
    ///   - languageCode: the user's language, such as `en-US`; nil stands for `launch.language`.
    ///   - isAndroidReceiverCompatible: whether the Android TV app may be started; nil stands for
    ///     `launch.android_receiver_compatible`.
    ///   - relaunchesIfRunning: whether an app that runs is launched anew; nil stands for `launch.relaunch_if_running`.
    /// - Throws: As ``DeviceSessionDirectory/startSession(device:app:options:)``.
    package func startSession(
        device: String, app: AppID, languageCode: String? = nil, isAndroidReceiverCompatible: Bool? = nil,
        relaunchesIfRunning: Bool? = nil
    ) async throws(SessionFailure) -> CastSession {
        try await self.parts.devices.startSession(
            device: device, app: app, languageCode: languageCode,
            isAndroidReceiverCompatible: isAndroidReceiverCompatible, relaunchesIfRunning: relaunchesIfRunning)
    }
}
