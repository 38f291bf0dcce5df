package import CastClient
import CastDiscovery
package import CastIdentity
package import CastWire
package import DeviceSessions
package import FeatureContract
import GatewayConfig
package import GatewayCore
package import GatewayMetrics
import GatewayOperations
import GatewaySettings
import Logging
import NIOCore
package import NamespaceHandlers
import Synchronization

/// The real devices: a channel to each, what relays to them, and the gateway's own sessions with apps on them.
///
/// They are dialled once all virtual devices listen. In a reload new devices are dialled, and those that are gone hung up, when
/// the virtual devices relay to the new ones.
package final class RealDevicesFeature: OperatingFeature {
    package let name = "devices"
    /// The devices, and the sessions with apps on them.
    package let directory: DeviceSessionDirectory
    let context: GatewayContext
    private let launch: LaunchSettings
    private let anchors: Mutex<AnchorCertificates>

    /// - Parameters:
    ///   - identities: where the database is that sessions are written down in.
    ///   - launch: what the gateway's own launches and loads carry.
    /// - Throws: when TLS cannot be set up, and `IdentityError` when a trust anchor cannot be read.
    package init(_ context: GatewayContext, identities: IdentityStore, launch: LaunchSettings) async throws {
        let configuration = context.configuration.current
        let logger = context.makeLogger("DeviceSession")
        self.context = context
        self.launch = launch
        self.anchors = Mutex(AnchorCertificates(configuration.connections))
        self.directory = try await DeviceSessionDirectory(
            devices: configuration.deviceAddresses, identities: configuration.deviceIdentities,
            configuration: configuration.connections,
            sessions: configuration.sessions, events: context.events, store: Self.makeStore(identities, logger),
            loads: launch,
            routing: OwnLegRouting(
                registry: context.registry, settings: configuration.routerSettings(context.metering),
                payloadText: configuration.payloadText),
            eventLoops: context.eventLoops, stopsApps: configuration.shutdown.stopReceivers,
            logger: logger, wallClock: context.wallClock)
    }

    /// Where sessions are written down; nil, which is said, when that is not possible.
    private static func makeStore(_ identities: IdentityStore, _ logger: Logger) -> SessionStore? {
        do {
            return try SessionStore(database: identities.database, logger: logger)
        } catch {
            logger.error(
                "Sessions cannot be written down; they would not outlive the gateway", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        let watch = NetworkWatch(
            devices: self.directory, eventLoop: self.context.eventLoops.next(),
            logger: self.context.makeLogger("DeviceSession"))
        return [StagedService(.devicesListening, self.directory), StagedService(.alone, watch)]
    }

    package static let offered: [Offer<RealDevicesFeature>] = [
        Offer { ListSessions(devices: $0) }
    ]

    package func close() async {
        await self.directory.settleRecords()
    }

    /// Starts a session with an app on a device, as ``Gateway`` describes.
    package func startSession(
        device: String, app: AppID, languageCode: String? = nil, isAndroidReceiverCompatible: Bool? = nil,
        relaunchesIfRunning: Bool? = nil
    ) async throws(SessionFailure) -> CastSession {
        let wish = SessionStartRequest(
            language: languageCode, relaunches: relaunchesIfRunning,
            isAndroidReceiverCompatible: isAndroidReceiverCompatible)
        return try await self.directory.startSession(
            device: device, app: app,
            options: self.launchOptions(for: app, on: self.directory.category(of: device), wish))
    }

    /// How an app is launched: as a caller wants, and as `launch` says otherwise.
    /// - Parameter category: whose device it is launched on.
    func launchOptions(for app: AppID, on category: DeviceCategory, _ wish: SessionStartRequest) -> LaunchOptions {
        let launch = self.launch.configuration(for: category)
        var options = LaunchOptions(
            languageCode: wish.language ?? launch.language,
            relaunchesIfRunning: wish.relaunches ?? launch.relaunchesIfRunning,
            requiredFeatures: wish.requiredFeatures,
            senderName: wish.senderName ?? launch.senderName ?? self.context.configuration.current.gateway.name)
        options.appParameters = wish.parameters ?? [:]
        options.isAndroidReceiverCompatible = wish.isAndroidReceiverCompatible ?? launch.androidReceiverCompatible
        options.credentials =
            wish.credentials
            ?? self.launch.credentialsForLaunch(of: app).map(ReceiverRequest.LaunchCredentials.init)
        return options
    }

    /// The app that sessions launch when none is named; nil when none is set.
    package var receiverApp: AppID? {
        self.launch.receiverApp ?? self.context.configuration.current.discovery.launchedApp.map { AppID(rawValue: $0) }
    }

    /// The app that a load launches where none runs that takes media; nil when `discovery.receiver_app` is `none`.
    var loadedApp: AppID? {
        if let app = self.receiverApp { return app }
        return self.context.configuration.current.discovery.launchesDefaultReceiver ? .defaultMediaReceiver : nil
    }

    // MARK: Readiness

    /// A device that is off is no fault of the gateway's, so it is told, and is no obstacle.
    package var readinessDetails: [(name: String, value: JSONValue)] {
        let devices = self.context.configuration.current.discovery.staticDevices.map { device in
            (device.name, JSONValue.string(self.directory.isOnline(device.name) ? "online" : "offline"))
        }
        return [("devices", .object(JSONObject(devices))), ("authentication", self.authentications)]
    }

    /// What came of asking devices to prove themselves, of those that have been asked.
    private var authentications: JSONValue {
        let devices = self.context.configuration.current.deviceAddresses.keys.sorted()
        return .object(
            JSONObject(
                devices.compactMap { device in
                    self.directory.authentication(of: device).map { record in
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

    package var warnings: [GatewayWarning] {
        get async {
            var warnings: [GatewayWarning] = []
            for name in self.directory.channelNames {
                guard let state = await self.directory.state(of: name) else { continue }
                if !state.isOnline { warnings += self.offlineWarning(state).map { [$0] } ?? [] }
                if let record = self.directory.authentication(of: name), !record.outcome.isVerified {
                    warnings.append(
                        GatewayWarning(
                            .deviceNotVerified, "'\(name)' has not proved that it is a Cast device: \(record.outcome)",
                            device: name, since: Int(clamping: record.time)))
                }
            }
            return warnings
        }
    }

    /// Nothing is said of a device that is dialled for the first time.
    private func offlineWarning(_ state: RealDeviceState) -> GatewayWarning? {
        guard let since = state.since else {
            guard state.addresses.isEmpty else { return nil }
            return GatewayWarning(
                .deviceOffline, "'\(state.name)' has not been found in the network", device: state.name)
        }
        return GatewayWarning(
            .deviceOffline, "'\(state.name)' is out of reach" + (state.reason.map { ": \($0)" } ?? ""),
            device: state.name, since: self.context.seconds(of: since))
    }

    package func metrics(for scrape: MetricsScrape) async -> [MetricFamily] {
        let census = await self.directory.census(within: MetricsScrape.patience)
        scrape.missed(census.silentLoops)
        return DeviceMetrics(census: census, links: self.directory.linkCounts).families
    }

    // MARK: Reload

    /// Adds the files with trusted roots that hold something else than before.
    package func plan(_ change: inout ConfigurationChange) {
        let (old, new) = (change.old.connections, change.new.connections)
        guard old.certificateVerification == new.certificateVerification else { return }
        let before = self.anchors.withLock { $0 }
        for key in AnchorCertificates(new).changedKeys(since: before) {
            change.plan.add(key, .newConnections, note: "a file has changed")
        }
    }

    package func prepare(_ change: inout ConfigurationChange) async throws -> PreparedChange? {
        let new = change.new
        let anchors = AnchorCertificates(new.connections)
        let update = try await self.directory.prepare(
            devices: new.deviceAddresses, identities: new.deviceIdentities, configuration: new.connections,
            sessions: new.sessions,
            stopsApps: new.shutdown.stopReceivers, eventLoops: change.placement.eventLoops)
        change.devices = update
        return PreparedChange(
            commit: {
                self.anchors.withLock { $0 = anchors }
                self.directory.route(
                    by: new.routerSettings(self.context.metering), payloadText: new.payloadText)
            },
            settle: { try await self.directory.commit(update) })
    }
}

extension GatewayConfiguration {
    /// The devices of `discovery.static` by name, and those that virtual devices relay to wherever they are found.
    fileprivate var deviceAddresses: [String: [DeviceAddress]] {
        let found = self.virtualDevices.compactMap(\.channelName).map { ($0, [DeviceAddress]()) }
        let known = self.discovery.staticDevices.map {
            ($0.name, [DeviceAddress(host: $0.address.host, port: $0.address.port)])
        }
        return Dictionary(known + found, uniquingKeysWith: { first, _ in first })
    }

    /// Which devices the names of `discovery.static` mean, of those with an id.
    fileprivate var deviceIdentities: [String: ExpectedDevice] {
        let known = self.discovery.staticDevices.compactMap { device in
            device.id.flatMap { DeviceID($0) }.map { (device.name, ExpectedDevice(id: $0)) }
        }
        return Dictionary(known, uniquingKeysWith: { first, _ in first })
    }
}

// The loads of Castway's own sessions carry the credentials that those of senders get on their way.
extension LaunchSettings: LoadCompletion {
    /// What `launch.user_agent` and `launch.sender_info` say.
    package var introduction: SenderIntroduction {
        let configuration = self.configuration
        return SenderIntroduction(userAgent: configuration.userAgent, info: configuration.introducedInfo)
    }

    /// Fills in the credentials of `launch` that are meant for loads.
    package func complete(_ load: inout LoadRequest, for app: ReceiverApplication) {
        let ids = [app.universalAppID, app.appID].compactMap(\.self)
        _ = self.fill(&load, for: ids, isAndroidTV: app.appType == "ANDROID_TV")
    }
}

/// What the files of `connections` with trusted roots hold: a file may change though its path does not.
private struct AnchorCertificates: Equatable, Sendable {
    /// Each file's certificates, DER; nil for one that cannot be read.
    private let trusted: [[[UInt8]]?]
    private let revocation: [[[UInt8]]?]

    /// Reads the files, unless devices are not asked for proofs.
    init(_ configuration: ConnectionsConfiguration) {
        guard configuration.certificateVerification != .off else {
            (self.trusted, self.revocation) = ([], [])
            return
        }
        self.trusted = configuration.trustAnchors.map(Self.read)
        self.revocation = configuration.revocationAnchors.map(Self.read)
    }

    /// The keys whose files hold something else than before.
    func changedKeys(since old: AnchorCertificates) -> [String] {
        var keys: [String] = []
        if self.trusted != old.trusted { keys.append("connections.trust_anchors") }
        if self.revocation != old.revocation { keys.append("connections.revocation_anchors") }
        return keys
    }

    private static func read(_ path: String) -> [[UInt8]]? {
        try? TrustAnchorFile(path: path).certificates
    }
}
