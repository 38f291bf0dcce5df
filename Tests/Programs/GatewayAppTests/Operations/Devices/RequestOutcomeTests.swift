import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import GatewayTesting
import HandlerKit
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings

/// How requests end that a device does not answer.
@Suite(.timeLimit(.minutes(2))) struct RequestOutcomeTests {
    /// Takes requests, and answers none.
    private struct Silence: MessageHandler {
        let name = "silence"
        let claims = [
            Claim(.exact(.receiver), phase: .filter, types: ["SET_VOLUME"]),
            Claim(.exact(.media), phase: .filter, types: ["SEEK"]),
        ]
        let heard = Inbox<String>()

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
            self.heard.put(message.summary.type ?? "")
            return .drop("silence")
        }
    }

    /// Runs a gateway with a real device, `wall`, and a virtual one that plays by itself, `hall`; neither answers.
    private func with(_ body: (DeviceOperationsBench, [String: Silence]) async throws -> Void) async throws {
        let silent = ["wall": Silence(), "hall": Silence()]
        let wall = try #require(silent["wall"])
        try await RunningGateway.with(.hallAndOffice) { far in
            try far.gateway.registry.register(wall)
            var configuration = GatewayConfiguration.hallAndOffice
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: far.port("hall")))
            ]
            try await RunningGateway.with(configuration) { near in
                try near.gateway.registry.register(try #require(silent["hall"]))
                try await body(DeviceOperationsBench(running: near, far: far), silent)
            }
        }
    }

    @Test(arguments: ["wall", "hall"]) func aNewerRequestTakesThePlaceOfAnOlderOne(_ device: String) async throws {
        try await self.with { bench, silent in
            let heard = try #require(silent[device]).heard
            try await bench.play(on: device)
            for (operation, key) in [("media.seek", "position"), ("volume.set", "level")] as [(OperationName, String)] {
                let first = Task {
                    try await bench.problem(operation, ["device": .string(device), key: 0])
                }
                #expect(await heard.next() != nil)
                let second = Task {
                    try await bench.problem(operation, ["device": .string(device), key: 1])
                }
                #expect(await heard.next() != nil)
                let one = try await first.value
                #expect(one?.code == "superseded", "\(operation): \(String(describing: one))")
                second.cancel()
                let two = try await second.value
                #expect(two?.code == "cancelled", "\(operation): \(String(describing: two))")
            }
        }
    }

    /// What was sent before the channel broke may have been carried out.
    @Test func aLostDeviceLeavesTheOutcomeUnknown() async throws {
        let silence = Silence()
        let (asked, ask) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            group.addTask {
                try await FakeChromecast.with(handlers: [silence]) { chromecast in
                    port.yield(chromecast.port)
                    // It ends when it was asked twice.
                    for await count in asked where count == 2 { break }
                }
            }
            let wall = try #require(await ports.first { _ in true })
            var configuration = GatewayConfiguration { $0.virtualDevices = [] }
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: wall))
            ]
            try await RunningGateway.with(configuration) { near in
                let bench = DeviceOperationsBench(running: near, far: near)
                let offline = near.gateway.events.subscribe { if case .deviceOffline = $0 { true } else { false } }
                try await bench.play(on: "wall")
                let volume = Task { try await bench.problem("volume.set", ["device": "wall", "level": 0.5]) }
                #expect(await silence.heard.next() != nil)
                let seek = Task { try await bench.problem("media.seek", ["device": "wall", "position": 1]) }
                #expect(await silence.heard.next() != nil)
                ask.yield(2)
                let lost = [try await volume.value, try await seek.value]
                #expect(lost.map { $0?.code } == ["outcome_unknown", "outcome_unknown"], "\(lost)")
                for await _ in offline.events { break }
                // Now nothing is sent, and that is said.
                let later = try await bench.problem("volume.set", ["device": "wall", "level": 0.5])
                #expect(later?.code == "device_not_connected")
            }
            try await group.waitForAll()
        }
    }

    @Test func aStartThatIsNotWaitedForIsGivenUp() async throws {
        try await DeviceOperationsBench.with { bench in
            for device in ["wall", "hall", "foyer"] {
                let launches = bench.running.gateway.events.subscribe {
                    if case .castSession(_, .willStart) = $0 { true } else { false }
                }
                // No device answers the launch of this app.
                let start = Task {
                    try await bench.problem("session.start", ["device": .string(device), "app": "00000002"])
                }
                if device == "wall" { for await _ in launches.events { break } }
                start.cancel()
                let code = try await start.value?.code
                #expect(code == "cancelled", "\(device)")
            }
            let sessions = try await bench.call("sessions.list", [:]).array("sessions")
            #expect(sessions == [])
        }
    }
}
