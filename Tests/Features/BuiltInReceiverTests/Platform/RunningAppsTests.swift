import CastWire
import GatewayCore
import Testing

@testable import BuiltInReceiver

/// What rules may take for granted of the built-in receiver.
@Suite struct RunningAppsTests {
    @Test func theIdleScreenRunsToo() {
        let bench = PlatformBench(backdrop: true)
        #expect(bench.platform.running.sessions.map(\.appID) == [.backdrop])
        #expect(bench.platform.running.isComplete)
        #expect(PlatformBench().platform.running == RunningApps([], isComplete: true))
    }

    @Test func whileAnAppStartsMoreRunsThanIsSeen() {
        var app = VirtualAppConfiguration(id: "CC1AD845") { $0.player = .simulated }
        app.options.launchDelay = .seconds(3)
        var bench = PlatformBench(apps: [app])
        _ = bench.connect("sender-0")
        _ = bench.launch()
        #expect(!bench.platform.running.isComplete)
        _ = bench.advance(by: .seconds(3))
        #expect(bench.platform.running.isComplete)
        #expect(bench.platform.running.sessions.map(\.appID) == [.defaultMediaReceiver])
    }
}
