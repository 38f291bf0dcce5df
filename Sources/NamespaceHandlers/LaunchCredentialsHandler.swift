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

/// Puts credentials that are meant for it into a LOAD that has none: `launch.credentials.APP.apply_to_load`.
///
/// Which credentials is decided by the app that loads, and Android TV apps get those of their own, as the Cast SDKs do it.
struct LoadCredentialsHandler: MessageHandler {
    let settings: LaunchSettings

    let name = "load-credentials"
    let claims = [Claim(.exact(.media), phase: .filter, types: ["LOAD"])]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        guard let session = message.session, let object = message.message.payload.jsonObject else { return .pass }
        var request = LoadRequest(json: object)
        let ids = [session.universalAppID, session.appID].compactMap(\.self)
        guard self.settings.fill(&request, for: ids, isAndroidTV: session.appType == "ANDROID_TV") else {
            return .pass
        }
        return .rewrite(.json(request.json))
    }
}
