package import CastWire
package import ControlAPI
import GatewayConfig
package import GatewayCore
package import GatewayMetrics
package import GatewayOperations
package import GatewaySettings
package import ServiceLifecycle

/// One feature of the gateway: its handlers, services, operations, metrics and readiness, and what becomes of it in a reload.
///
/// ``Gateway`` knows its features by this contract alone. A feature is one type in one file, which owns its state; what it needs
/// of another feature is an argument of its initialiser, and ``GatewayFeatures`` makes the features and lists them. Everything
/// but the name has a default, so that a feature says only what it has.
///
/// **Start.** The initialisers make the features: they may open files and make keys, and throw; nothing is listened on or
/// dialled. ``handlers`` of all features are registered at once. ``operations`` and ``services(among:)`` are called once,
/// in the order of the list. The services start in that order, each when its stage is reached, and stop in the reverse order, each
/// before the next. ``close()`` is called when all have ended, in the reverse order too, also when the start failed.
///
/// **Reload.** ``ReloadProcedure`` does one reload at a time. Each step is done for all features, in the order of the list, before
/// the next step:
///
/// | step | what the feature does | failure |
/// |---|---|---|
/// | ``complete(_:)`` | adds to the new configuration what the file does not say | none |
/// | ``plan(_:)`` | adds to the plan what the keys alone do not say; all that a dry run does | none |
/// | ``prepare(_:)`` | makes everything new, and changes nothing of what runs | undoes the reload |
/// | ``PreparedChange/begin`` | starts what has to work before messages reach it | undoes the reload |
/// | handlers | those of all features are replaced at once | undoes the reload |
/// | ``PreparedChange/commit`` | puts the new in force | none, while event loops turn |
/// | ``PreparedChange/settle`` | follows what the other features committed, and ends what is old | none, while event loops turn |
///
/// When a step fails, ``PreparedChange/undo`` is called for every feature that has prepared, the last one first, and the old
/// configuration stays. A ``prepare(_:)`` that throws leaves nothing behind by itself.
package protocol GatewayFeature: Sendable {
    /// What the feature is called in logs: lower case, a noun.
    var name: String { get }

    /// The feature's handlers in force, in their order; features earlier in the list come first.
    var handlers: [any MessageHandler] { get }

    /// The handlers that another configuration calls for, for a dry run: their names and claims are compared, and no message
    /// reaches them.
    func handlers(for configuration: GatewayConfiguration) -> [any MessageHandler]

    /// The feature's services, in their order.
    /// - Parameter features: all features of the gateway; not to be kept beyond the services' end.
    func services(among features: [any GatewayFeature]) -> [StagedService]

    /// The services of a feature by which callers reach the operations of all features.
    /// - Parameters:
    ///   - features: as in ``services(among:)``, which is for features that carry no calls.
    ///   - operations: what callers can have done; not to be kept beyond the services' end either.
    func services(among features: [any GatewayFeature], serving operations: OperationCatalogue) -> [StagedService]

    /// The operations that the feature offers to callers, on every interface; an ``OperatingFeature`` declares them.
    var operations: [any GatewayOperation] { get }

    /// The types of ``operations``, for commands and documents, which have no gateway.
    static var operationTypes: [any GatewayOperation.Type] { get }

    /// The HTTP routes that the feature serves at the API listener, in addition to its operations.
    var routes: [any APIRoutes] { get }

    /// Why the gateway is not ready though every virtual device listens; nil when the feature is no obstacle.
    var obstacle: String? { get }

    /// What `GET /readyz?verbose` says of the feature.
    var readinessDetails: [(name: String, value: JSONValue)] { get }

    /// What of the feature is not as it should be; asked for with every `castway status`, so it may wait for event loops only.
    var warnings: [GatewayWarning] { get async }

    /// The metrics of the feature, asked at every scrape, together with those of all other features.
    func metrics(for scrape: MetricsScrape) async -> [MetricFamily]

    /// Calls back once when nothing of the feature has kept the gateway from being ready; not at all when that never comes.
    func whenReady(_ callback: @escaping @Sendable () -> Void)

    /// Adds to a configuration that was read what only the feature knows, before anything looks at it.
    func complete(_ configuration: inout GatewayConfiguration) async

    /// Adds to the plan of a reload: files that have changed though their paths have not, and notes on keys.
    func plan(_ change: inout ConfigurationChange)

    /// Makes what a new configuration needs; nothing that runs changes.
    /// - Returns: what is to be put in force; nil when nothing of the feature depends on the configuration.
    /// - Throws: ``ReloadFailure`` or any other error, which is the reason that the caller of the reload gets.
    func prepare(_ change: inout ConfigurationChange) async throws -> PreparedChange?

    /// Gives up what the feature holds; its services have ended, or never began.
    func close() async
}

extension GatewayFeature {
    package var handlers: [any MessageHandler] { [] }

    package func handlers(for configuration: GatewayConfiguration) -> [any MessageHandler] { self.handlers }

    package func services(among features: [any GatewayFeature]) -> [StagedService] { [] }

    package func services(among features: [any GatewayFeature], serving operations: OperationCatalogue)
        -> [StagedService]
    {
        self.services(among: features)
    }

    package var operations: [any GatewayOperation] { [] }

    package static var operationTypes: [any GatewayOperation.Type] { [] }

    package var routes: [any APIRoutes] { [] }

    package var obstacle: String? { nil }

    package var readinessDetails: [(name: String, value: JSONValue)] { [] }

    package var warnings: [GatewayWarning] { get async { [] } }

    package func metrics(for scrape: MetricsScrape) async -> [MetricFamily] { [] }

    package func whenReady(_ callback: @escaping @Sendable () -> Void) { callback() }

    package func complete(_ configuration: inout GatewayConfiguration) async {}

    package func plan(_ change: inout ConfigurationChange) {}

    package func prepare(_ change: inout ConfigurationChange) async throws -> PreparedChange? { nil }

    package func close() async {}
}

/// A feature with operations, each of which is declared once.
package protocol OperatingFeature: GatewayFeature {
    /// The operations.
    static var offered: [Offer<Self>] { get }
}

extension OperatingFeature {
    package var operations: [any GatewayOperation] { Self.offered.map { $0.make(self) } }

    package static var operationTypes: [any GatewayOperation.Type] { Self.offered.map(\.type) }
}

/// One operation of a feature: its type, and the closure with which the feature makes it.
package struct Offer<Feature>: Sendable {
    package let type: any GatewayOperation.Type
    package let make: @Sendable (Feature) -> any GatewayOperation

    package init<Operation: GatewayOperation>(_ make: @escaping @Sendable (Feature) -> Operation) {
        self.type = Operation.self
        self.make = make
    }
}

/// A new configuration on its way into force, and what features hand to those behind them in the list.
package struct ConfigurationChange: Sendable {
    /// The configuration in force.
    package let old: GatewayConfiguration
    /// The one that is to follow it.
    package let new: GatewayConfiguration
    /// What differs, key by key.
    package var plan: ReloadPlan
    /// Where real devices have to live, and which virtual devices are replaced; the virtual devices plan it.
    package var placement = DevicePlacement()
    /// The real devices as they will be; nil before they have prepared.
    package var devices: (any DeviceDirectory)?

    /// Compares two configurations.
    package init(from old: GatewayConfiguration, to new: GatewayConfiguration) {
        self.old = old
        self.new = new
        self.plan = ReloadPlan(from: old, to: new)
    }
}

/// What a feature has made ready for a new configuration; ``GatewayFeature`` says when each step is called.
package struct PreparedChange: Sendable {
    /// One step. Only ``begin`` may throw for another reason than an event loop that has been shut down.
    package typealias Step = @Sendable () async throws -> Void

    /// The feature's handlers afterwards, asked for when they are registered; nil when they stay.
    package var handlers: (@Sendable () -> [any MessageHandler])?
    /// Starts what has to work before messages reach it.
    package var begin: Step = {}
    /// Puts the new in force.
    package var commit: Step = {}
    /// Follows what the other features committed, and ends what is old.
    package var settle: Step = {}
    /// Gives up everything that was made, in place of the other steps or after ``begin``.
    package var undo: @Sendable () async -> Void = {}

    package init(
        handlers: (@Sendable () -> [any MessageHandler])? = nil, begin: @escaping Step = {},
        commit: @escaping Step = {}, settle: @escaping Step = {}, undo: @escaping @Sendable () async -> Void = {}
    ) {
        self.handlers = handlers
        self.begin = begin
        self.commit = commit
        self.settle = settle
        self.undo = undo
    }
}

/// A service, and the stage in which it begins.
package struct StagedService: Sendable {
    package let stage: GatewayLifecycle.Stage
    package let service: any Service & CustomStringConvertible

    package init(_ stage: GatewayLifecycle.Stage, _ service: any Service & CustomStringConvertible) {
        self.stage = stage
        self.service = service
    }
}
