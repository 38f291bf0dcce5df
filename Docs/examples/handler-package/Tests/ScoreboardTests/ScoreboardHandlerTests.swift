import CastClient
import CastWire
import GatewayTesting
import Scoreboard
import Testing

@Suite struct ScoreboardHandlerTests {
    private static let namespace: Namespace = "urn:x-cast:com.example.scoreboard"

    /// Malformed payloads, requests without their fields, both directions: what every handler has to bear.
    @Test func itConforms() {
        #expect(HandlerConformance(ScoreboardHandler(), types: ["SCORE"]).violations() == [])
    }

    @Test func pointsAddUp() throws {
        let bench = try RouterBench([ScoreboardHandler()])
        for points in [2, 3] {
            bench.route(
                #"{"type":"SCORE","requestId":\#(points),"team":"red","points":\#(points)}"#, in: Self.namespace)
        }
        let totals = bench.output.toSenders.map { $0.payload.jsonObject?.int("total") }
        #expect(totals == [2, 5])
        #expect(bench.output.forwarded.isEmpty)
    }

    @Test func whatIsNoScorePassesOn() throws {
        let bench = try RouterBench([ScoreboardHandler()])
        for text in ["no JSON", #"{"type":"SCORE","requestId":1,"team":"red","points":5000}"#] {
            bench.route(text, in: Self.namespace)
        }
        #expect(bench.output.forwarded.count == 2)
    }

    /// A sender launches the app on a device without hardware, with the handler between the two.
    @Test(.timeLimit(.minutes(1))) func aSenderScores() async throws {
        let app = FakeChromecast.App("ABCD1234", name: "Game", namespaces: [Self.namespace])
        try await FakeChromecast.with([app], handlers: [ScoreboardHandler()]) { chromecast in
            let device = try await RemoteDevice.connect(host: chromecast.host, port: chromecast.port)
            let app = try await device.run("ABCD1234")
            let answer = try await device.request(
                ["type": "SCORE", "team": "red", "points": 2], in: Self.namespace, to: app.transportID)
            #expect(answer.payload.jsonObject?.int("total") == 2)
            await device.close()
        }
    }
}
