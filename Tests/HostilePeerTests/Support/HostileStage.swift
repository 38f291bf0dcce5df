import CastWire
import CastwayTestSupport
import GatewayApp
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Logging
import Testing
import VirtualDevices

/// A gateway with a neighbour that is connected to it before any hostile peer is.
struct HostileStage {
    let port: Int
    let endpoints: VirtualDeviceEndpoints?
    let log: LogRecorder
    let events: AsyncStream<GatewayEvent>
    let neighbour: RawPeer

    /// Runs the body, and lets the neighbour ask ten times afterwards.
    static func with(
        _ limits: SenderLimits = SenderLimits(), change: (inout GatewayConfiguration) -> Void = { _ in },
        body: (HostileStage) async throws -> Void
    ) async throws {
        let log = LogRecorder()
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.senders = limits
        change(&configuration)
        try await RunningGateway.with(configuration, makeLogger: { log.logger($0) }) { running in
            let subscription = running.gateway.events.subscribe()
            let port = running.port("hall")
            try await RawPeer.connect(to: port, from: "127.0.0.1") { neighbour in
                try await neighbour.connectPlatform()
                let stage = HostileStage(
                    port: port, endpoints: running.gateway.endpoints.first { $0.name == "hall" }, log: log,
                    events: subscription.events, neighbour: neighbour)
                try await body(stage)
                try await stage.neighbourIsServed(from: 1_000_000)
            }
        }
    }

    /// The neighbour asks ten times at once and is answered in order.
    func neighbourIsServed(from first: Int) async throws {
        for id in first..<first + 10 {
            try await self.neighbour.send(["type": "GET_STATUS", "requestId": .number(id)])
        }
        for id in first..<first + 10 { #expect(try await self.neighbour.nextAnswer()?.id == id) }
    }

    /// The fault of the next sender that the gateway closes.
    func nextDisconnection() async -> String? {
        for await event in self.events {
            if case .senderDisconnected(_, _, let reason, _) = event { return reason }
        }
        return nil
    }

    /// The next event that gives a value; those before it are passed over.
    func next<Value>(_ pick: (GatewayEvent) -> Value?) async -> Value? {
        for await event in self.events {
            if let value = pick(event) { return value }
        }
        return nil
    }

    /// The faults in the log, in order.
    var faults: [String] {
        self.log.entries(atLeast: .info).compactMap { $0.metadata["fault"].map { "\($0)" } }
    }
}
