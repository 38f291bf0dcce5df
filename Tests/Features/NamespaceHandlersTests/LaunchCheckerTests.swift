import CastWire
import GatewayConfig
import GatewayCore
import GatewayTesting
import Synchronization
import Testing

@testable import NamespaceHandlers

/// Webhooks that say whether an app may be launched.
@Suite struct LaunchCheckerTests {
    /// Takes note of what it is asked.
    private final class Doorman: ChannelBridge {
        struct Question {
            let text: String
            let webhook: String
            let completion: @Sendable (Result<CastMessage.Payload?, GatewayError>) -> Void
        }

        private let asked = Mutex<[Question]>([])

        var questions: [Question] { self.asked.withLock { $0 } }

        func deliver(_ message: RoutedMessage, to places: [ChannelDelivery]) -> Bool { true }

        func ask(
            _ message: RoutedMessage, _ reply: ChannelReply,
            completion: @escaping @Sendable (Result<CastMessage.Payload?, GatewayError>) -> Void
        ) {
            let question = Question(
                text: message.message.payload.text ?? "", webhook: reply.webhook, completion: completion)
            self.asked.withLock { $0.append(question) }
        }

        func refused(by rule: ChannelRule, in namespace: String) {}
    }

    private static let launch =
        #"{"type":"LAUNCH","requestId":5,"appId":"ABCD1234","supportedAppTypes":["ANDROID_TV","WEB"],"credentials":"secret","credentialsType":"web"}"#

    private static func outcome(
        of answer: Result<CastMessage.Payload?, GatewayError>, text: String = Self.launch,
        _ change: (inout LaunchCheck) -> Void = { _ in }
    ) throws -> (outcome: Outcome, doorman: Doorman) {
        let doorman = Doorman()
        var launch = LaunchConfiguration()
        launch.checks = [LaunchCheck(webhook: "doorman", change)]
        let bench = try RouterBench.builtIn(launch: launch, bridge: doorman)
        let outcome = bench.outcome(text, in: .receiver)
        guard let question = doorman.questions.first else { return (outcome, doorman) }
        #expect(outcome == .swallowed)
        question.completion(answer)
        if let text = bench.output.forwarded.first?.payload.text { return (.forwarded(text), doorman) }
        return (bench.output.toSenders.first.map { .answered($0) } ?? .swallowed, doorman)
    }

    @Test(arguments: [nil, #"{"allow":true}"#, #"{"allow":true,"app_type":null,"more":1}"#])
    func whatIsAllowedGoesOn(answer: String?) throws {
        let (outcome, doorman) = try Self.outcome(of: .success(answer.map { .text($0) }))
        #expect(outcome == .forwarded(Self.launch))
        #expect(doorman.questions.map(\.webhook) == ["doorman"])
        // The webhook does not get what the sender tells the app of its user.
        #expect(doorman.questions.allSatisfy { !$0.text.contains("secret") && $0.text.contains("ABCD1234") })
    }

    @Test func whatIsRefusedIsToldSo() throws {
        let (outcome, _) = try Self.outcome(of: .success(.text(#"{"allow":false,"reason":"closed on Sundays"}"#)))
        let answer = outcome.answerJSON
        #expect(answer?.string("type") == "LAUNCH_ERROR" && answer?.int("requestId") == 5)
        #expect(answer?.string("reason") == "NOT_ALLOWED" && answer?.string("error") == "closed on Sundays")
    }

    @Test func theWebAppStartsInThePlaceOfTheAndroidTVApp() throws {
        let (outcome, _) = try Self.outcome(of: .success(.text(#"{"allow":true,"app_type":"WEB"}"#)))
        let json = try #require(outcome.text.flatMap { try? JSONReader.read($0).objectValue })
        #expect(json.array("supportedAppTypes") == ["WEB"])
        #expect(json.string("credentials") == "secret" && json.int("requestId") == 5)
    }

    /// What cannot be judged is refused, unless the operator says otherwise.
    @Test(
        arguments: [
            .success(.text("yes")), .success(.text("{}")), .success(.text(#"{"allow":"true"}"#)),
            .success(.text(#"{"allow":true,"app_type":"TOASTER"}"#)), .success(.text("[true]")),
            .failure(GatewayError(.handlerFailed, "no answer by the deadline")),
        ] as [Result<CastMessage.Payload?, GatewayError>])
    func whatMakesNoSenseIsNoYes(answer: Result<CastMessage.Payload?, GatewayError>) throws {
        let (closed, _) = try Self.outcome(of: answer)
        #expect(closed.answerJSON?.string("reason") == "NOT_ALLOWED")
        #expect(closed.answerJSON?.string("error")?.contains("deadline") == false)
        let (open, _) = try Self.outcome(of: answer) { $0.onFailure = .open }
        #expect(open == .forwarded(Self.launch))
    }

    @Test func onlyLaunchesThatAreMeantAreAskedAbout() throws {
        let refusal = Result<CastMessage.Payload?, GatewayError>.success(.text(#"{"allow":false}"#))
        let (other, doorman) = try Self.outcome(of: refusal) { $0.apps = ["CC1AD845"] }
        #expect(other == .forwarded(Self.launch) && doorman.questions.isEmpty)
        let (elsewhere, _) = try Self.outcome(of: refusal) { $0.devices = [Glob("room-*")] }
        #expect(elsewhere == .forwarded(Self.launch))
        let status = #"{"type":"GET_STATUS","requestId":1}"#
        let (question, silent) = try Self.outcome(of: refusal, text: status)
        #expect(question == .forwarded(status) && silent.questions.isEmpty)
    }

    @Test func credentialsAreToldWhereTheOperatorWantsIt() throws {
        let (_, doorman) = try Self.outcome(of: .success(nil)) { $0.tellsCredentials = true }
        #expect(doorman.questions.first?.text.contains("secret") == true)
    }

    /// A launch that names no app is not one that can be judged; the platform refuses it itself.
    @Test func aLaunchWithoutAnAppPasses() throws {
        let text = #"{"type":"LAUNCH","requestId":5}"#
        let (outcome, doorman) = try Self.outcome(of: .success(.text(#"{"allow":false}"#)), text: text)
        #expect(outcome == .forwarded(text) && doorman.questions.isEmpty)
    }
}
