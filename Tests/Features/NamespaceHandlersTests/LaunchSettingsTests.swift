import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayTesting
import Testing

@testable import NamespaceHandlers

/// Credentials that are set while the gateway runs (rows 357 to 361 and 370 of the features).
@Suite(.timeLimit(.minutes(1))) struct LaunchSettingsTests {
    private let bus = EventBus()
    private let configured = LaunchConfiguration {
        $0.defaultCredentials = LaunchCredentials(credentials: Secret("common"))
        $0.appCredentials = ["ABCD1234": LaunchCredentials(credentials: Secret("own"))]
    }

    private func credentials(_ settings: LaunchSettings, _ app: AppID) -> String? {
        settings.credentials(for: app)?.credentials.reveal()
    }

    @Test func theNarrowestCountsAndRunTimeBeforeTheFile() {
        let settings = LaunchSettings(self.configured, events: self.bus)
        #expect(self.credentials(settings, "ABCD1234") == "own")
        #expect(self.credentials(settings, "CC1AD845") == "common")
        settings.setCredentials(LaunchCredentials(credentials: Secret("later")))
        #expect(self.credentials(settings, "ABCD1234") == "own")
        #expect(self.credentials(settings, "CC1AD845") == "later")
        settings.setCredentials(LaunchCredentials(credentials: Secret("mine")), for: "ABCD1234")
        #expect(self.credentials(settings, "ABCD1234") == "mine")
        settings.clearCredentials(for: "ABCD1234")
        #expect(self.credentials(settings, "ABCD1234") == nil)
        #expect(self.credentials(settings, "CC1AD845") == "later")
        settings.resetCredentials(for: "ABCD1234")
        settings.resetCredentials()
        #expect(self.credentials(settings, "ABCD1234") == "own")
        #expect(self.credentials(settings, "CC1AD845") == "common")
    }

    @Test func whatIsSetWaitsForALaunch() async throws {
        let events = self.bus.subscribe { $0.name == "credentials.pending" }
        let settings = LaunchSettings(self.configured, events: self.bus)
        settings.setCredentials(LaunchCredentials(credentials: Secret("s3cret-token")), for: "ABCD1234")
        settings.setCredentials(LaunchCredentials(credentials: Secret("s3cret-token")))
        var said: [GatewayEvent] = []
        for await event in events.events {
            said.append(event)
            if said.count == 2 { break }
        }
        #expect(said == [.credentialsPending(app: "ABCD1234"), .credentialsPending(app: nil)])
        #expect(settings.isPending(for: "ABCD1234") && settings.isPending())
        // Asking is not launching.
        _ = settings.credentials(for: "ABCD1234")
        #expect(settings.isPending(for: "ABCD1234"))
        _ = settings.credentialsForLaunch(of: "ABCD1234")
        #expect(!settings.isPending(for: "ABCD1234") && settings.isPending())
        _ = settings.credentialsForLaunch(of: "CC1AD845")
        #expect(!settings.isPending())
    }

    /// A launch after they were cleared carries none: nothing is reused.
    @Test func aLaunchFollowsWhatIsSetNow() throws {
        let settings = LaunchSettings(LaunchConfiguration(), events: self.bus)
        let bench = try RouterBench(
            BuiltInHandlers.make(
                routing: RoutingConfiguration(), launch: settings, channels: []))
        let plain = #"{ "type":"LAUNCH","requestId":7,"appId":"ABCD1234" }"#
        #expect(bench.outcome(plain, in: .receiver).text == plain)
        settings.setCredentials(LaunchCredentials(credentials: Secret("me")) { $0.type = "linux" })
        #expect(
            bench.outcome(plain, in: .receiver).text
                == #"{"type":"LAUNCH","requestId":7,"appId":"ABCD1234","appParams":{"launchCheckerParams":"#
                + #"{"credentialsData":{"credentials":"me","credentialsType":"linux"}}}}"#)
        #expect(!settings.isPending())
        settings.clearCredentials()
        #expect(bench.outcome(plain, in: .receiver).text == plain)
    }

    @Test func aReloadLeavesWhatWasSet() {
        let settings = LaunchSettings(self.configured, events: self.bus)
        settings.setCredentials(LaunchCredentials(credentials: Secret("mine")), for: "ABCD1234")
        settings.configure(
            LaunchConfiguration {
                $0.language = "de"
                $0.defaultCredentials = LaunchCredentials(credentials: Secret("new"))
            })
        #expect(self.credentials(settings, "ABCD1234") == "mine")
        #expect(self.credentials(settings, "CC1AD845") == "new")
        #expect(settings.configuration.language == "de")
    }

    @Test func appsAreLimited() {
        let settings = LaunchSettings(LaunchConfiguration(), events: self.bus)
        let credentials = LaunchCredentials(credentials: Secret("x"))
        for number in 0..<LaunchSettings.maximumOverrides {
            #expect(settings.setCredentials(credentials, for: AppID(rawValue: "A\(number)")))
        }
        #expect(!settings.setCredentials(credentials, for: "LATE"))
        #expect(!settings.clearCredentials())
        // One that has some may still have others.
        #expect(settings.clearCredentials(for: "A0"))
    }

    @Test func secretsAreNowhereToBeRead() async {
        let events = self.bus.subscribe()
        let settings = LaunchSettings(LaunchConfiguration(), events: self.bus)
        settings.setCredentials(
            LaunchCredentials(credentials: Secret("s3cret")) { $0.androidTVCredentials = Secret("s3cret-tv") })
        var described =
            "\(settings) \(String(reflecting: settings)) \(String(describing: settings.credentials(for: "A")))"
        dump(settings, to: &described)
        for await event in events.events {
            described += "\(event)"
            break
        }
        #expect(!described.contains("s3cret"))
    }
}
