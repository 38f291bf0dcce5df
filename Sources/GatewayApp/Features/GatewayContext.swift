import ControlAPI
import GatewayConfig
import GatewayCore
import GatewayMetrics
import Logging
import NIOCore
import Synchronization

/// What every feature may use: where handlers, events and log lines go, what time it is, and how far the gateway is.
struct GatewayContext: Sendable {
    /// The version of the program.
    let version: String
    /// The configuration in force.
    let configuration: CurrentConfiguration
    /// How far the gateway is.
    let lifecycle = GatewayLifecycle()
    /// Where handlers come and go while the gateway runs.
    let registry = HandlerRegistry()
    /// What happens in the gateway.
    let events = EventBus()
    /// What is measured. Instruments are made with it, not with the global metrics system: each gateway counts for itself.
    let metrics = MetricsRegistry()
    /// Where routers count messages, as far as `metrics` of the configuration asks for it.
    let metering = MessageMetering()
    /// Where connections live.
    let eventLoops: any EventLoopGroup
    /// Refusals and administrative acts are written there.
    let audit: AuditLog
    /// Makes the logger of a component; `log.levels` names components.
    let makeLogger: @Sendable (String) -> Logger
    /// Seconds since 1970, for certificates.
    let wallClock: @Sendable () -> Int64
    /// Tells when instants of the event loops' clock were.
    let instants = InstantTimes()
    /// When the gateway was made.
    let startedAt = NIODeadline.now()
    /// Whether anything uses the gateway by its operations or events.
    let presence: CallerPresence

    /// Collects what every feature may use.
    init(
        version: String, configuration: CurrentConfiguration, eventLoops: any EventLoopGroup, audit: AuditLog,
        makeLogger: @escaping @Sendable (String) -> Logger, wallClock: @escaping @Sendable () -> Int64
    ) {
        self.version = version
        self.configuration = configuration
        self.eventLoops = eventLoops
        self.audit = audit
        self.makeLogger = makeLogger
        self.wallClock = wallClock
        self.presence = CallerPresence(eventLoops: eventLoops)
    }
}

/// The configuration in force, and the document that it was read from. Only a reload replaces them.
final class CurrentConfiguration: Sendable {
    private let state: Mutex<(configuration: GatewayConfiguration, document: ConfigDocument?)>

    /// - Parameter document: the checked tree that the configuration was read from; nil when there is none to be shown.
    init(_ configuration: GatewayConfiguration, document: ConfigDocument?) {
        self.state = Mutex((configuration, document))
    }

    /// The configuration.
    var current: GatewayConfiguration { self.state.withLock { $0.configuration } }

    /// The checked tree; nil when the gateway was started without a file.
    var document: ConfigDocument? { self.state.withLock { $0.document } }

    /// Puts another configuration in force.
    func replace(_ configuration: GatewayConfiguration) {
        self.state.withLock { $0.configuration = configuration }
    }

    /// Shows another document from now on.
    func replace(document: ConfigDocument) {
        self.state.withLock { $0.document = document }
    }
}
