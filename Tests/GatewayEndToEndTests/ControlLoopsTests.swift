import ControlAPI
import Dispatch
import FeatureContract
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import NIOCore
import Testing

@testable import GatewayApp

/// The listeners for callers over HTTP have event loops of their own.
@Suite(.timeLimit(.minutes(1))) struct ControlLoopsTests {
    /// While those are stuck senders are served, and monitors are told.
    @Test func aStuckControlPlaneHoldsNoMessage() async throws {
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.metrics = MetricsConfiguration { $0.listen = ListenAddress(host: "127.0.0.1", port: 0) }
        try await RunningGateway.with(configuration) { running in
            let context = running.gateway.context
            let loops = context.controlLoops.running
            #expect(loops.count == ControlLoops.count(beside: System.coreCount))
            #expect(!loops.contains { loop in context.eventLoops.makeIterator().contains { $0 === loop } })
            let release = DispatchSemaphore(value: 0)
            for loop in loops { loop.execute { release.wait() } }
            defer { for _ in loops { release.signal() } }
            try await TestSender.connect(to: running.port("hall")) { sender in
                _ = try await sender.connectPlatform()
                _ = try await sender.status(requestID: 2)
            }
            let probes = GatewayProbes(context: context, features: running.gateway.features).probes()
            #expect(await probes.liveness().status == 503)
        }
    }
}
