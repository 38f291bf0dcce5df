import BuiltInReceiver
import CastIdentity
public import CastWire
import GRDB
import GatewayConfig
public import GatewayCore
import Glibc
public import Logging
import NIOPosix
import VirtualDevices

/// A Cast device without hardware for a test: a virtual device on the loopback interface with the built-in receiver behind it.
///
/// It speaks TLS, proves itself as a device does, launches apps, and plays media without fetching them. Handlers sit between
/// its senders and the receiver, as they do in a gateway. Several may run at once; each has a port of its own.
///
///     try await FakeChromecast.with { chromecast in
///         let device = try await RemoteDevice.connect(host: chromecast.host, port: chromecast.port)
///         let app = try await device.run(.defaultMediaReceiver)
///         …
///     }
public struct FakeChromecast: Sendable {
    /// An app that senders may launch.
    public struct App: Sendable {
        /// Its id.
        public var id: AppID
        /// The name that senders see; its id unless another is given.
        public var name: String
        /// The namespaces of its own that it announces.
        public var namespaces: [Namespace]
        /// Whether it has a player, which answers the media namespace.
        public var hasPlayer: Bool

        /// Makes an app.
        public init(_ id: AppID, name: String? = nil, namespaces: [Namespace] = [], hasPlayer: Bool = false) {
            self.id = id
            self.name = name ?? id.rawValue
            self.namespaces = namespaces
            self.hasPlayer = hasPlayer
        }

        /// The Default Media Receiver, with a player.
        public static let defaultMediaReceiver = App(
            .defaultMediaReceiver, name: "Default Media Receiver", hasPlayer: true)
    }

    /// From a request to what it gives rise to: from LAUNCH to the app, from LOAD to the media, from the media to playback.
    private static let delay = Duration.milliseconds(10)

    /// Kept in memory and made once in a process, since keys take their time.
    private static let identities = Result { try IdentityStore(database: DatabaseQueue()) }

    /// The address at which senders reach it.
    public let host = "127.0.0.1"
    /// The port at which senders reach it.
    public let port: Int
    /// Its id, 32 hexadecimal digits; the same for all of a process.
    public let id: String
    /// The root to which its certificate leads, as PEM text, for senders that verify devices.
    public let rootCertificate: String
    /// What happens on it: senders that come and go, sessions, statuses.
    public let events: EventBus

    /// Runs a device as long as `body` does.
    /// - Parameters:
    ///   - apps: the apps that senders may launch.
    ///   - handlers: what looks at messages between the senders and the apps; filters in this order.
    ///   - logger: where the log goes; nowhere unless given.
    ///   - body: begins when senders can connect.
    /// - Throws: what `body` throws; ``GatewayError`` for handlers whose claims contradict each other.
    public static func with<Result: Sendable>(
        _ apps: [App] = [.defaultMediaReceiver], handlers: [any MessageHandler] = [],
        logger: Logger = Logger(label: "FakeChromecast") { _ in SwiftLogNoOpLogHandler() },
        body: (FakeChromecast) async throws -> Result
    ) async throws -> Result {
        let identities = try Self.identities.get()
        let registry = HandlerRegistry()
        try registry.replaceAll(with: handlers)
        let events = EventBus()
        let terms = VirtualDeviceTerms(
            VirtualDeviceSettings(name: "fake-chromecast", listen: ListenAddress(host: "127.0.0.1", port: 0)) {
                $0.friendlyName = "Fake Chromecast"
            }, target: LocalReceiverFactory(Self.receiver(apps)),
            environment: VirtualDeviceEnvironment(
                identities: identities, registry: registry, routerSettings: RouterSettings(), events: events,
                eventLoops: MultiThreadedEventLoopGroup.singleton, limits: SenderLimits(), drain: .seconds(1),
                logger: logger))
        let device = VirtualDeviceHost(terms, logger: logger, wallClock: { Int64(time(nil)) })
        let service = ListeningService(device)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            let endpoints = try await service.untilListening()
            let result = try await body(
                FakeChromecast(
                    port: endpoints.castPort, id: device.deviceID ?? "",
                    rootCertificate: try identities.root(now: Int64(time(nil))).pem, events: events))
            service.stop("the test is over")
            try await group.waitForAll()
            return result
        }
    }

    private init(port: Int, id: String, rootCertificate: String, events: EventBus) {
        self.port = port
        self.id = id
        self.rootCertificate = rootCertificate
        self.events = events
    }

    private static func receiver(_ apps: [App]) -> ReceiverConfiguration {
        ReceiverConfiguration {
            $0.apps = apps.map { app in
                VirtualAppConfiguration(id: app.id.rawValue) {
                    $0.name = app.name
                    $0.namespaces = app.namespaces.map(\.rawValue)
                    $0.player = app.hasPlayer ? .simulated : .none
                    $0.options.launchDelay = Self.delay
                    $0.options.loadDelay = Self.delay
                    $0.options.buffering = Self.delay
                }
            }
        }
    }
}
