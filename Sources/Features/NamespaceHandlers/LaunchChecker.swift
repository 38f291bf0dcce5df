import CastWire
import GatewayCore
import HandlerKit

/// Asks a webhook whether an app may be launched: `launch.checks`.
///
/// The webhook is sent the LAUNCH as a message of a channel is, and answers `{"allow": true}`, `{"allow": false, "reason": "…"}`, or
/// `{"allow": true, "app_type": "WEB"}` to have the web app start in the place of the Android TV app; 204 lets it go on. The first check
/// that concerns a launch decides.
struct LaunchChecker: MessageHandler {
    /// The answer of a webhook about a launch.
    private enum Answer: Equatable {
        case allowed(AppKind?)
        case refused(String?)
        /// It has no answer, or one that makes no sense.
        case unclear
    }

    /// The kinds of app (protocol notes, 5.4).
    private enum AppKind: String {
        case web = "WEB"
        case androidTV = "ANDROID_TV"
    }

    /// Longer texts for people are cut, in characters: they travel to the sender.
    private static let longestReason = 200
    /// The webhook is asked for as long as its check says; the verdict comes within this behind it.
    private static let margin = Duration.seconds(1)

    let name = BuiltInHandlers.Name.launchChecks
    let claims = [
        Claim(.exact(.receiver), phase: .filter, types: [ReceiverRequest.Kind.launch.rawValue], onFailure: .closed)
    ]
    private let checks: [LaunchCheck]
    private let bridge: (any ChannelBridge)?

    /// - Parameter bridge: asks webhooks; nil where nothing is sent, as in a dry run.
    init(_ checks: [LaunchCheck], bridge: (any ChannelBridge)?) {
        self.checks = checks
        self.bridge = bridge
    }

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        guard let bridge, let request = ReceiverRequest(message.message.payload), let app = request.appID,
            let check = self.checks.first(where: { $0.concerns(app, on: message.device.name) })
        else { return .pass }
        let deferral = context.deferral()
        var anonymous = request
        anonymous.credentials = nil
        let question = check.tellsCredentials ? message : message.carrying(anonymous.payload)
        let reply = ChannelReply(webhook: check.webhook, deadline: check.deadline, onFailure: check.onFailure)
        bridge.ask(question, reply) { outcome in
            deferral.complete(with: Self.verdict(Self.answer(outcome), on: request, check))
        }
        return .deferred(within: check.deadline + Self.margin)
    }

    private static func answer(_ outcome: Result<CastMessage.Payload?, GatewayError>) -> Answer {
        switch outcome {
        case .success(nil): return .allowed(nil)
        case .failure: return .unclear
        case .success(let payload?):
            guard let json = payload.jsonObject else { return .unclear }
            switch json["allow"] {
            case .bool(false)?:
                return .refused(json.string("reason").map { String($0.prefix(Self.longestReason)) })
            case .bool(true)?:
                guard let kind = json["app_type"], kind != .null else { return .allowed(nil) }
                return kind.stringValue.flatMap(AppKind.init).map { .allowed($0) } ?? .unclear
            default: return .unclear
            }
        }
    }

    private static func verdict(_ answer: Answer, on request: ReceiverRequest, _ check: LaunchCheck) -> Verdict {
        switch answer {
        case .allowed(nil): return .pass
        case .allowed(let kind?):
            var request = request
            request.json["supportedAppTypes"] = [.string(kind.rawValue)]
            return .rewrite(request.payload)
        case .refused(let reason): return .reject(.notAllowed(reason, rule: "launch check of \(check.webhook)"))
        case .unclear:
            switch check.onFailure {
            case .open: return .pass
            case .closed:
                // Why is for the log: it names addresses that are none of the sender's business.
                return .reject(.notAllowed("the launch cannot be checked", rule: "launch check of \(check.webhook)"))
            }
        }
    }
}
