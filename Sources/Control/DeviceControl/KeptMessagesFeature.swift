import CastWire
package import FeatureContract
import GatewayCore
import GatewayOperations
import GatewaySettings
package import MessageBridges
import ServiceLifecycle

/// Messages of callers for apps that did not run: sent when they do.
package final class KeptMessagesFeature: GatewayFeature {
    package let name = "kept messages"
    private let context: GatewayContext
    private let bridges: Bridges
    private let carrier: AppCarrier

    /// - Parameter controls: sends messages to apps.
    package init(_ context: GatewayContext, bridges: Bridges, controls: DeviceControls) {
        self.context = context
        self.bridges = bridges
        self.carrier = AppCarrier { payload, namespace, device in
            await Self.send(payload, namespace, device, controls)
        }
        self.configure(context.configuration.current)
    }

    private func configure(_ configuration: GatewayConfiguration) {
        self.bridges.set(AppCarrier.destination, configuration.keepsMessages ? self.carrier.asDestination : nil)
    }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        [
            StagedService(.begun, self.carrier),
            StagedService(.begun, AppWatch(events: self.context.events, outbox: self.bridges.outbox)),
        ]
    }

    package func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let new = change.new
        guard change.old.keepsMessages != new.keepsMessages else { return nil }
        return PreparedChange(commit: { self.configure(new) })
    }

    private static func send(
        _ payload: CastMessage.Payload, _ namespace: Namespace, _ device: String, _ controls: DeviceControls
    ) async -> DeliveryOutcome {
        let caller = Caller(name: AppCarrier.destination, scopes: Set(OperationScope.allCases))
        do throws(OperationProblem) {
            let controlled = try controls.device(DeviceReference(device), for: caller)
            guard await controlled.listens(in: namespace) else { return .absent("the app does not run") }
            _ = try await controlled.send(
                AppMessage(payload: payload, namespace: namespace, session: nil, wait: nil))
            return .delivered
        } catch {
            return error.isAbsence ? .absent(error.detail) : .refused(error.detail)
        }
    }
}

/// Tells the outbox when an app may run that messages are kept for.
private struct AppWatch: Service, CustomStringConvertible {
    let events: EventBus
    let outbox: Outbox

    var description: String { "watch of apps" }

    func run() async {
        let subscription = self.events.subscribe(seesMessages: false) { $0.startedOn != nil }
        for await event in subscription.events.cancelOnGracefulShutdown() {
            if let device = event.startedOn { self.outbox.resume(AppCarrier.destination, device: device) }
        }
    }
}

extension GatewayEvent {
    /// The device on which an app may run from now on, with its kind.
    fileprivate var startedOn: String? {
        switch self {
        case .sessionStarted(let device, _): "virtual:\(device)"
        case .castSession(let facts, _) where facts.state == .connected: "real:\(facts.device)"
        case .deviceOnline(let target): "real:\(target)"
        default: nil
        }
    }
}

extension OperationProblem {
    /// Whether it says that the app, or its device, is not there now.
    var isAbsence: Bool {
        ["application_not_running", "device_not_connected", "session_not_active", "unavailable", "unknown_device"]
            .contains(self.code)
    }
}
