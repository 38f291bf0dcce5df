import CastWire
import CastwayTestSupport
import ControlAPI
import GatewayCore
import GatewayTesting
import Logging
import NIOPosix
import Synchronization

@testable import FeatureContract
@testable import GatewaySettings

/// Keeps the steps that features are asked to take.
final class StepRecorder: Sendable {
    private let recorded = Mutex<[String]>([])

    /// The steps so far, as `feature step`.
    var steps: [String] { self.recorded.withLock { $0 } }

    /// Adds a step.
    func note(_ step: String) { self.recorded.withLock { $0.append(step) } }
}

/// A feature that records what it is asked, and fails where a test wants it to.
struct RecordingFeature: GatewayFeature {
    /// Where a feature may fail.
    enum Failure: CaseIterable {
        case prepare, begin
        /// Its new handlers claim what another one owns.
        case handlers
    }

    /// Why it fails.
    struct Refused: Error, CustomStringConvertible {
        let description = "the feature refuses"
    }

    let name: String
    let recorder: StepRecorder
    var failure: Failure?
    /// Its handler in force.
    var handler: FunctionHandler?
    /// What its handler claims after a reload; nil when it keeps the one it has.
    var newClaim: Claim?

    var handlers: [any MessageHandler] { self.handler.map { [$0] } ?? [] }

    func handlers(for configuration: GatewayConfiguration) -> [any MessageHandler] { self.newHandlers ?? self.handlers }

    private var newHandlers: [any MessageHandler]? {
        if self.failure == .handlers { return [Self.handler("setup", "urn:x-cast:com.example.refused")] }
        return self.newClaim.map { claim -> [any MessageHandler] in
            [FunctionHandler(self.name, [claim]) { _, _ in .pass }]
        }
    }

    /// A handler that owns a namespace.
    static func handler(_ name: String, _ namespace: String) -> FunctionHandler {
        FunctionHandler(name, [Claim(.exact(Namespace(rawValue: namespace)))]) { _, _ in .pass }
    }

    func plan(_ change: inout ConfigurationChange) { self.note("plan") }

    func prepare(_ change: inout ConfigurationChange) async throws -> PreparedChange? {
        self.note("prepare")
        if self.failure == .prepare { throw Refused() }
        var handlers: (@Sendable () -> [any MessageHandler])?
        if let new = self.newHandlers { handlers = { new } }
        return PreparedChange(
            handlers: handlers,
            begin: {
                self.note("begin")
                if self.failure == .begin { throw Refused() }
            }, commit: { self.note("commit") }, settle: { self.note("settle") }, undo: { self.note("undo") })
    }

    private func note(_ step: String) { self.recorder.note("\(self.name) \(step)") }
}

extension GatewayContext {
    /// A context of nothing but a configuration.
    static func test(_ configuration: GatewayConfiguration = GatewayConfiguration()) -> GatewayContext {
        GatewayContext(
            version: "", configuration: CurrentConfiguration(configuration, document: nil),
            eventLoops: MultiThreadedEventLoopGroup.singleton, audit: AuditLog(LogRecorder().logger("Audit")),
            makeLogger: { LogRecorder().logger($0) },
            wallClock: { 0 })
    }
}
