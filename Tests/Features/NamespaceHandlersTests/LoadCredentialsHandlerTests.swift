import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayTesting
import Testing

@testable import NamespaceHandlers

/// Credentials in a LOAD, independent of those in LAUNCH (rows 362, 363 and 369 of the features).
@Suite struct LoadCredentialsHandlerTests {
    private static let secret = "s3cret-token"
    private static let web = LaunchCredentials(credentials: Secret(Self.secret)) {
        $0.type = "linux"
        $0.appliesToLoad = true
    }
    private static let television = LaunchCredentials(credentials: Secret(Self.secret)) {
        $0.type = "linux"
        $0.appliesToLoad = true
        $0.androidTVCredentials = Secret("tv")
        $0.androidTVType = "android"
    }

    private static let webApp = SessionFacts(
        appID: "ABCD1234", universalAppID: "ABCD1234", appType: "WEB", sessionID: "s", transportID: "t",
        displayName: "App", namespaces: [.media])
    private static let televisionApp = SessionFacts(
        appID: "com.example.tv", universalAppID: "ABCD1234", appType: "ANDROID_TV", sessionID: "s", transportID: "t",
        displayName: "App", namespaces: [.media])

    private func load(
        _ text: String, _ credentials: LaunchCredentials = Self.web, session: SessionFacts? = Self.webApp,
        for app: String? = "ABCD1234"
    ) throws -> String? {
        var configuration = LaunchConfiguration()
        if let app {
            configuration.appCredentials[app] = credentials
        } else {
            configuration.defaultCredentials = credentials
        }
        return try RouterBench.builtIn(launch: configuration).outcome(
            text, in: .media, to: "t", session: session
        ).text
    }

    @Test func aLoadWithoutCredentialsGetsThem() throws {
        #expect(
            try self.load(#"{"type":"LOAD","requestId":1,"x":1.50}"#)
                == #"{"type":"LOAD","requestId":1,"x":1.50,"credentials":"s3cret-token","credentialsType":"linux"}"#)
        #expect(
            try self.load(#"{"type":"LOAD","requestId":1}"#, for: nil)
                == #"{"type":"LOAD","requestId":1,"credentials":"s3cret-token","credentialsType":"linux"}"#)
    }

    /// The web app's id counts, whichever id the status shows as the app's.
    @Test func anAndroidTVAppGetsItsOwn() throws {
        for app in ["ABCD1234", "com.example.tv"] {
            #expect(
                try self.load(
                    #"{"type":"LOAD","requestId":1}"#, Self.television, session: Self.televisionApp, for: app)
                    == #"{"type":"LOAD","requestId":1,"credentials":"s3cret-token","credentialsType":"linux","#
                    + #""atvCredentials":"tv","atvCredentialsType":"android"}"#)
        }
        // Others have no use for them.
        #expect(
            try self.load(#"{"type":"LOAD","requestId":1}"#, Self.television)
                == #"{"type":"LOAD","requestId":1,"credentials":"s3cret-token","credentialsType":"linux"}"#)
    }

    @Test(arguments: [
        #"{ "type":"LOAD","requestId":1,"credentials":"own" }"#, #"{ "type":"LOAD","requestId":1,"credentials":"" }"#,
        #"{ "type":"GET_STATUS","requestId":1 }"#,
    ])
    func whatASenderBringsStaysAsItCame(_ text: String) throws {
        #expect(try self.load(text) == text)
    }

    @Test func onlyWhereItIsWanted() throws {
        let text = #"{ "type":"LOAD","requestId":1 }"#
        #expect(try self.load(text, LaunchCredentials(credentials: Secret("x"))) == text)
        #expect(try self.load(text, for: "CC1AD845") == text)
        #expect(try self.load(text, session: nil) == text)
    }

    @Test func credentialsAreNotLogged() throws {
        let log = LogRecorder()
        let settings = LaunchSettings(LaunchConfiguration { $0.defaultCredentials = Self.television })
        let bench = try RouterBench(
            BuiltInHandlers.make(routing: RoutingConfiguration(), launch: settings, channels: []),
            logger: log.logger())
        let sent = bench.outcome(
            #"{"type":"LOAD","requestId":1}"#, in: .media, to: "t", session: Self.televisionApp
        ).text
        #expect(sent?.contains(Self.secret) == true)
        #expect(!log.entries.isEmpty)
        #expect(!log.entries.contains { $0.description.contains(Self.secret) })
    }

    @Test func conforms() {
        let handler = LaunchCredentialsHandler(settings: LaunchSettings(LaunchConfiguration(), events: EventBus()))
        #expect(HandlerConformance(handler, types: ["LOAD"]).violations() == [])
    }
}
