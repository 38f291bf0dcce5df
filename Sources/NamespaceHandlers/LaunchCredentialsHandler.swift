public import CastWire
import GatewayConfig
import GatewayCore

/// Puts what `launch` says into LAUNCH: the credentials, where the app finds them (protocol notes, 5.4), the language, and
/// that Android TV apps are welcome.
///
/// All three are defaults: credentials, language and kinds of app that a sender brings stay, and so does everything else in
/// the message. A type without credentials says nothing, and goes with the credentials that are filled in.
struct LaunchCredentialsHandler: MessageHandler {
    let settings: LaunchSettings

    let name = "launch-credentials"
    let claims = [
        Claim(.exact(.receiver), phase: .filter, types: [ReceiverRequest.Kind.launch.rawValue])
    ]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        guard var request = ReceiverRequest(message.message.payload), let app = request.appID else { return .pass }
        let before = request
        if request.credentials?.credentials == nil, let configured = self.settings.credentialsForLaunch(of: app) {
            request.credentials = ReceiverRequest.LaunchCredentials(configured)
        }
        let configuration = self.settings.configuration
        if configuration.androidReceiverCompatible, request.json["supportedAppTypes"] == nil {
            request.json["supportedAppTypes"] = ["ANDROID_TV", "WEB"]
        }
        if let language = configuration.language, request.json["language"] == nil {
            request.json["language"] = .string(language)
        }
        guard request != before else { return .pass }
        return .rewrite(request.payload)
    }
}

extension ReceiverRequest.LaunchCredentials {
    /// The form that is sent; what is not there is left out, and an empty text is kept.
    public init(_ configured: LaunchCredentials) {
        self.init(credentials: configured.credentials.reveal(), credentialsType: configured.type)
    }
}
