import GatewayFixtures
import Testing

extension InteropTests {
    private struct Loss: Decodable {
        let wasLost: Bool
    }

    private struct Link: Decodable {
        let timesLost: Int
        let closedEnds: [String]
    }

    private struct Refusal: Decodable {
        let reason: String?
    }

    @Test("A sender comes back by itself after the gateway has restarted")
    func restarting() async throws {
        let stage = try Stage()
        let port = try await Stage.freePort()
        try await Driver.run("restarting.py", senderPort: port, witnessPort: port) { driver in
            try await RunningGateway.with(stage.far(port: port)) { _ in
                try driver.letGoOn()
                try await driver.succeed("playing").expect(\.title, "One")
            }
            #expect(try await driver.next("lost").details(Loss.self).wasLost)
            try await RunningGateway.with(stage.far(port: port)) { _ in
                let back = try await driver.succeed("back")
                // What the built-in receiver played outlives the gateway.
                back.expect(\.appID, "CC1AD845")
                let again = try await driver.succeed("playingAgain")
                again.expect(\.appID, "CC1AD845")
                again.expect(\.title, "Two")
                again.expect(\.playerState, "PLAYING")
            }
        }
    }

    @Test("A relay restarts: the sender comes back, and the device has played on")
    func restartingRelay() async throws {
        let stage = try Stage()
        let port = try await Stage.freePort()
        try await RunningGateway.with(stage.far()) { far in
            let near = stage.near(relayingTo: far.port(Stage.screen), port: port)
            try await Driver.run("restarting.py", senderPort: port, witnessPort: far.port(Stage.screen)) { driver in
                try await RunningGateway.with(near) { _ in
                    try driver.letGoOn()
                    try await driver.succeed("playing").expect(\.title, "One")
                }
                #expect(try await driver.next("lost").details(Loss.self).wasLost)
                try await RunningGateway.with(near) { _ in
                    try await driver.succeed("back").expect(\.appID, "CC1AD845")
                    let again = try await driver.succeed("playingAgain")
                    again.expect(\.title, "Two")
                    again.expect(\.playerState, "PLAYING")
                }
            }
        }
    }

    @Test("The device behind a relay restarts: the sender stays, is told, and can launch again")
    func restartingDevice() async throws {
        let stage = try Stage()
        let farPort = try await Stage.freePort()
        let nearPort = try await Stage.freePort()
        try await Driver.run("far_restarting.py", senderPort: nearPort, witnessPort: farPort) { driver in
            // Long enough to tell a loss from a gap, short enough to wait for.
            let near = stage.near(relayingTo: farPort, port: nearPort, suspendAfter: .milliseconds(500))
            // Not expected to be reached: it is started below, and again.
            try await RunningGateway.with(near, awaitsDevices: false) { _ in
                try await RunningGateway.with(stage.far(port: farPort)) { _ in
                    try driver.letGoOn()
                    try await driver.succeed("playing").expect(\.title, "One")
                }
                let lost = try await driver.succeed("deviceLost")
                lost.expect(\.appID, nil)
                let link = try lost.details(Link.self)
                #expect(link.closedEnds.contains("CLOSE"))
                #expect(link.timesLost == 0)

                try driver.letGoOn()
                let refused = try await driver.next("refused")
                #expect(refused.failure == "RequestFailed")
                #expect(try refused.details(Refusal.self).reason == "SYSTEM_ERROR")

                try await RunningGateway.with(stage.far(port: farPort, volume: 0.75)) { _ in
                    let back = try await driver.succeed("deviceBack")
                    back.expect(\.volume, 0.75)
                    back.expect(\.appID, "CC1AD845")
                    let again = try await driver.succeed("playingAgain")
                    again.expect(\.appID, "CC1AD845")
                    again.expect(\.title, "Two")
                    again.expect(\.playerState, "PLAYING")
                    #expect(try again.details(Link.self).timesLost == 0)
                }
            }
        }
    }
}
