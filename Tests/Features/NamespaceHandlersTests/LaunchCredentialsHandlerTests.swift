import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayTesting
import Testing

@testable import NamespaceHandlers

@Suite struct LaunchCredentialsHandlerTests {
    private static let secret = "s3cret-token"

    private let configuration = LaunchConfiguration {
        $0.defaultCredentials = LaunchCredentials(credentials: Secret("for all")) { $0.type = "mobile" }
        $0.appCredentials = ["ABCD1234": LaunchCredentials(credentials: Secret(Self.secret))]
    }

    private func launch(_ text: String, _ configuration: LaunchConfiguration? = nil) throws -> String? {
        try RouterBench.builtIn(launch: configuration ?? self.configuration).outcome(text, in: .receiver).text
    }

    @Test func anAppsCredentialsAreNested() throws {
        #expect(
            try self.launch(#"{"type":"LAUNCH","requestId":7,"appId":"ABCD1234"}"#)
                == #"{"type":"LAUNCH","requestId":7,"appId":"ABCD1234","appParams":{"launchCheckerParams":"#
                + #"{"credentialsData":{"credentials":"s3cret-token","credentialsType":"web"}}}}"#)
    }

    @Test func otherAppsGetTheDefault() throws {
        #expect(
            try self.launch(#"{"type":"LAUNCH","requestId":7,"appId":"CC1AD845"}"#)
                == #"{"type":"LAUNCH","requestId":7,"appId":"CC1AD845","appParams":{"launchCheckerParams":"#
                + #"{"credentialsData":{"credentials":"for all","credentialsType":"mobile"}}}}"#)
    }

    @Test func withoutADefaultOtherAppsGetNone() throws {
        let configuration = LaunchConfiguration { $0.appCredentials = self.configuration.appCredentials }
        let text = #"{ "type":"LAUNCH","requestId":7,"appId":"CC1AD845" }"#
        #expect(try self.launch(text, configuration) == text)
    }

    @Test(arguments: [
        #"{ "type":"LAUNCH","appId":"ABCD1234","credentials":"own" }"#,
        #"{ "type":"LAUNCH","appId":"ABCD1234","appParams":{"launchCheckerParams":{"credentialsData":{"credentials":"own"}}} }"#,
        #"{ "type":"LAUNCH","requestId":1 }"#, #"{ "type":"LAUNCH","appId":5 }"#,
    ])
    func whatASenderBringsStaysAsItCame(text: String) throws {
        #expect(try self.launch(text) == text)
    }

    @Test func everythingElseInTheMessageStays() throws {
        let text = #"""
            {"x":1.50,"type":"LAUNCH","appId":"ABCD1234","language":"en-US","supportedAppTypes":["WEB"],"appParams":{"requiredFeatures":["STREAM_TRANSFER"],"launchCheckerParams":{"a":null}},"customData":[]}
            """#
        let launched = try #require(try self.launch(text))
        #expect(
            launched == #"""
                {"x":1.50,"type":"LAUNCH","appId":"ABCD1234","language":"en-US","supportedAppTypes":["WEB"],"appParams":{"requiredFeatures":["STREAM_TRANSFER"],"launchCheckerParams":{"a":null,"credentialsData":{"credentials":"s3cret-token","credentialsType":"web"}}},"customData":[]}
                """#)
    }

    @Test(arguments: [
        (#""supportedAppTypes":["WEB"]"#, #""supportedAppTypes":["WEB"]"#),
        (#""supportedAppTypes":[]"#, #""supportedAppTypes":[]"#),
        (#""supportedAppTypes":null"#, #""supportedAppTypes":null"#),
        (#""x":1"#, #""x":1,"supportedAppTypes":["ANDROID_TV","WEB"]"#),
        (#""supportedAppTypes":["WEB","ANDROID_TV"]"#, #""supportedAppTypes":["WEB","ANDROID_TV"]"#),
    ])
    func androidAppsAreAcceptedUnlessTheSenderSaysWhatItTakes(before: String, after: String) throws {
        let configuration = LaunchConfiguration { $0.androidReceiverCompatible = true }
        #expect(
            try self.launch(#"{"type":"LAUNCH","appId":"ABCD1234",\#(before)}"#, configuration)
                == #"{"type":"LAUNCH","appId":"ABCD1234",\#(after)}"#)
    }

    @Test func aLaunchWithoutALanguageGetsOne() throws {
        let configuration = LaunchConfiguration { $0.language = "de-CH" }
        #expect(
            try self.launch(#"{"type":"LAUNCH","appId":"ABCD1234"}"#, configuration)
                == #"{"type":"LAUNCH","appId":"ABCD1234","language":"de-CH"}"#)
        let own = #"{ "type":"LAUNCH","appId":"ABCD1234","language":"fr" }"#
        #expect(try self.launch(own, configuration) == own)
    }

    /// What is not there is left out, and what is empty is sent.
    @Test func nothingIsOmittedAndEmptyIsKept() throws {
        let configuration = LaunchConfiguration {
            $0.defaultCredentials = LaunchCredentials(credentials: Secret("")) { $0.type = nil }
        }
        #expect(
            try self.launch(#"{"type":"LAUNCH","appId":"ABCD1234"}"#, configuration)
                == #"{"type":"LAUNCH","appId":"ABCD1234","appParams":{"launchCheckerParams":"#
                + #"{"credentialsData":{"credentials":""}}}}"#)
        let empty = #"{ "type":"LAUNCH","appId":"ABCD1234","credentials":"" }"#
        #expect(try self.launch(empty) == empty)
    }

    @Test func onlyALaunchIsChanged() throws {
        let text = #"{ "type":"STOP","appId":"ABCD1234" }"#
        #expect(try self.launch(text) == text)
        #expect(
            try RouterBench.builtIn(launch: self.configuration).outcome(
                #"{ "type":"LAUNCH","appId":"ABCD1234" }"#, in: .media
            ).text == #"{ "type":"LAUNCH","appId":"ABCD1234" }"#)
    }

    @Test func credentialsAreNowhereElse() throws {
        var described = "\(self.configuration) \(String(reflecting: self.configuration))"
        dump(self.configuration, to: &described)
        let log = LogRecorder()
        let bench = try RouterBench(
            BuiltInHandlers.make(
                routing: RoutingConfiguration {
                    $0.rules = [RoutingRule(name: "no", condition: RoutingCondition(type: ["STOP"]), action: .reject)]
                },
                launch: LaunchSettings(self.configuration), channels: []),
            logger: log.logger())
        _ = bench.outcome(#"{"type":"LAUNCH","requestId":7,"appId":"ABCD1234"}"#, in: .receiver)
        _ = bench.outcome(#"{"type":"STOP","requestId":7,"appId":"ABCD1234"}"#, in: .receiver)
        #expect(!log.entries.isEmpty)
        #expect(!described.contains(Self.secret))
        #expect(!log.entries.contains { $0.description.contains(Self.secret) })
    }

    @Test func conforms() {
        let handler = LaunchCredentialsHandler(settings: LaunchSettings(self.configuration))
        #expect(HandlerConformance(handler, types: ["LAUNCH"]).violations() == [])
    }
}
