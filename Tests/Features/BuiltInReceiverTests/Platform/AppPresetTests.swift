import CastWire
import GatewayCore
import Testing

@testable import BuiltInReceiver

/// Presets on the built-in receiver: senders are told of what really plays.
@Suite struct AppPresetTests {
    private static let all = AppPreset.allCases.flatMap { $0.apps(isLocal: true) }

    private static func availability(_ bench: inout PlatformBench, of ids: [String]) -> [String] {
        let asked: JSONObject = [
            "type": "GET_APP_AVAILABILITY", "requestId": 1, "appId": .array(ids.map { .string($0) }),
        ]
        let answer = bench.send(asked).first?.json.object("availability")
        return ids.filter { answer?.string($0) == "APP_AVAILABLE" }
    }

    @Test func onlyWhatPlaysIsAvailable() {
        var bench = PlatformBench(apps: Self.all)
        let ids = ["CC1AD845", "E8C28D3C", "C35B0678", "84912283", "A078F6B0", "B45F4572", "233637DE"]
        #expect(Self.availability(&bench, of: ids) == ["CC1AD845", "E8C28D3C", "C35B0678", "B45F4572"])
    }

    @Test(arguments: ["84912283", "A078F6B0"])
    func whatDoesNotPlayIsNotLaunchedEither(_ id: String) {
        var bench = PlatformBench(apps: Self.all)
        #expect(bench.launch(AppID(rawValue: id)).summaries == ["sender-0@c1 LAUNCH_ERROR 1"])
        // Written for the id, the app is wanted as it is.
        var apps = Self.all
        for index in apps.indices where apps[index].id == id { apps[index].isPreset = false }
        bench = PlatformBench(apps: apps)
        #expect(Self.availability(&bench, of: [id]) == [id])
        _ = bench.launch(AppID(rawValue: id))
        #expect(bench.platform.currentSession?.appID == AppID(rawValue: id))
    }

    @Test(arguments: AppPreset.allCases.flatMap { $0.apps(isLocal: true) }.filter { $0.player == .simulated }.map(\.id))
    func whatPlaysTakesMedia(_ id: String) {
        var bench = PlatformBench(apps: Self.all)
        _ = bench.launch(AppID(rawValue: id))
        #expect(bench.platform.currentSession?.namespaces.contains(.media) == true)
        #expect(bench.platform.application?.player != nil)
    }

    @Test func theIdleScreenIsReportedAndComesBackByLaunch() {
        var bench = PlatformBench(apps: Self.all)
        #expect(bench.platform.application?.isIdleScreen == true)
        _ = bench.launch()
        #expect(bench.platform.currentSession?.appID == .defaultMediaReceiver)
        let summaries = bench.launch(.backdrop, id: 2).summaries
        #expect(summaries.contains("ended session-2 replaced"))
        #expect(summaries.last == "sender-0@c1 RECEIVER_STATUS 2")
        #expect(bench.platform.application?.isIdleScreen == true)
        #expect(bench.platform.currentSession == nil)
    }

    @Test func withoutThePresetTheIdleScreenIsNoApp() {
        var bench = PlatformBench()
        #expect(bench.platform.application == nil)
        #expect(bench.launch(.backdrop).summaries == ["sender-0@c1 LAUNCH_ERROR 1"])
    }

    @Test func onARelayNothingPlaysHere() {
        let apps = AppPreset.allCases.flatMap { $0.apps(isLocal: false) }
        #expect(apps.allSatisfy { $0.player == .none && AppID(rawValue: $0.id).isValid })
        #expect(Set(apps.map(\.id)).count == apps.count)
    }
}
