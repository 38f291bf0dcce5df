import CastWire
import GatewayConfig
import GatewayCore

/// Puts the credentials of `launch.credentials` into LAUNCH, where the app finds them (protocol notes, 5.4).
///
/// Credentials that a sender brings stay; so does everything else in the message.
struct LaunchCredentialsHandler: MessageHandler {
    let configuration: LaunchConfiguration

    let name = "launch-credentials"
    let claims = [
        Claim(.exact(.receiver), phase: .filter, types: [ReceiverRequest.Kind.launch.rawValue])
    ]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        guard var request = ReceiverRequest(message.message.payload), let app = request.appID else { return .pass }
        let before = request
        if request.credentials?.credentials == nil,
            let configured = self.configuration.appCredentials[app.rawValue] ?? self.configuration.defaultCredentials
        {
            request.credentials = ReceiverRequest.LaunchCredentials(
                credentials: configured.credentials.reveal(), credentialsType: configured.type)
        }
        if self.configuration.androidReceiverCompatible, !request.supportedAppTypes.contains("ANDROID_TV") {
            request.json["supportedAppTypes"] = .array(
                (["ANDROID_TV"] + request.supportedAppTypes).map(JSONValue.string))
        }
        guard request != before else { return .pass }
        var changed = message.message
        changed.payload = request.payload
        return .rewrite(changed)
    }
}

extension LaunchConfiguration {
    /// True when any LAUNCH may have to be changed.
    var changesLaunches: Bool {
        self.androidReceiverCompatible || self.defaultCredentials != nil || !self.appCredentials.isEmpty
    }
}
