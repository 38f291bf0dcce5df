import GatewayApp
import GatewayCore

extension RunningGateway {
    /// Waits until the channel to a device is open.
    func waitUntilOnline(_ target: String) async throws {
        let subscription = self.gateway.events.subscribe { event in
            if case .deviceOnline(target) = event { true } else { false }
        }
        if self.gateway.isOnline(target) { return }
        _ = await subscription.events.first { _ in true }
    }
}
