import FeatureContract
import GatewayCore
import GatewayOperations

/// Commands as requests: carries them out, and offers the operations that look at them and take them back.
final class RequestsFeature: OperatingFeature {
    let name = "requests"
    /// Carries commands out.
    let requests: CommandRequests

    init(_ context: GatewayContext) {
        let wallClock = context.wallClock
        let run = String(UInt32.random(in: 0...UInt32.max), radix: 16)
        let events = context.events
        self.requests = CommandRequests(run: run, clock: .continuous { Double(wallClock()) }) { request in
            events.publish(.request(id: request.id, device: request.device, facts: request.facts))
        }
    }

    static let offered: [Offer<RequestsFeature>] = [
        Offer { ListRequests(requests: $0.requests) },
        Offer { GetRequest(requests: $0.requests) },
        Offer { CancelRequest(requests: $0.requests) },
    ]

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        [StagedService(.begun, self.requests)]
    }
}
