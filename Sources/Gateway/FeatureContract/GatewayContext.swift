package import ControlAPI
package import GatewayConfig
package import GatewayCore
package import GatewayMetrics
package import GatewaySettings
package import Logging
package import NIOCore
import Synchronization

/// What every feature may use: where handlers, events and log lines go, what time it is, and how far the gateway is.
package struct GatewayContext: Sendable {
    /// The version of the program.
    package let version: String
    /// The configuration in force.
    package let configuration: CurrentConfiguration
    /// How far the gateway is.
    package let lifecycle = GatewayLifecycle()
    /// Where handlers come and go while the gateway runs.
    package let registry = HandlerRegistry()
    /// What happens in the gateway.
    package let events = EventBus()
    /// What is measured. Instruments are made with it, not with the global metrics system: each gateway counts for itself.
    package let metrics = MetricsRegistry()
    /// Where routers count messages, as far as `metrics` of the configuration asks for it.
    package let metering = MessageMetering()
    /// Where senders, devices and everything else live that messages pass.
    package let eventLoops: any EventLoopGroup
    /// Where callers over HTTP live.
    package let controlLoops = ControlLoops()
    /// Refusals and administrative acts are written there.
    package let audit: AuditLog
    /// Makes the logger of a component; `log.levels` names components.
    package let makeLogger: @Sendable (String) -> Logger
    /// Seconds since 1970, for certificates.
    package let wallClock: @Sendable () -> Int64
    /// Tells when instants of the event loops' clock were.
    let instants = InstantTimes()
    /// When the gateway was made.
    package let startedAt = NIODeadline.now()
    /// Whether anything uses the gateway by its operations or events.
    package let presence: ActivityTracker

    /// Every event loop of the gateway.
    package var allLoops: [any EventLoop] { Array(self.eventLoops.makeIterator()) + self.controlLoops.running }

    /// Collects what every feature may use.
    package init(
        version: String, configuration: CurrentConfiguration, eventLoops: any EventLoopGroup, audit: AuditLog,
        makeLogger: @escaping @Sendable (String) -> Logger, wallClock: @escaping @Sendable () -> Int64
    ) {
        self.version = version
        self.configuration = configuration
        self.eventLoops = eventLoops
        self.audit = audit
        self.makeLogger = makeLogger
        self.wallClock = wallClock
        self.presence = ActivityTracker(eventLoops: eventLoops)
    }
}

/// The configuration in force, and the document that it was read from. Only a reload replaces them.
package final class CurrentConfiguration: Sendable {
    private let state: Mutex<(configuration: GatewayConfiguration, document: ConfigDocument?)>

    /// - Parameter document: the checked tree that the configuration was read from; nil when there is none to be shown.
    package init(_ configuration: GatewayConfiguration, document: ConfigDocument?) {
        self.state = Mutex((configuration, document))
    }

    package var current: GatewayConfiguration { self.state.withLock { $0.configuration } }

    /// The checked tree; nil when the gateway was started without a file.
    package var document: ConfigDocument? { self.state.withLock { $0.document } }

    /// Puts another configuration in force.
    package func replace(_ configuration: GatewayConfiguration) {
        self.state.withLock { $0.configuration = configuration }
    }

    /// Shows another document from now on.
    package func replace(document: ConfigDocument) {
        self.state.withLock { $0.document = document }
    }
}
