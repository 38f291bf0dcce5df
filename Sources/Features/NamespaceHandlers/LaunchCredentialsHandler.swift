package import CastWire
import GatewayConfig
import GatewayCore

/// Puts what `launch` says into LAUNCH: the credentials, where the app finds them (protocol notes, 5.4), the language, and
/// that Android TV apps are welcome. Puts credentials that are meant for it into a LOAD that has none
/// (`launch.credentials.APP.apply_to_load`).
///
/// All of them are defaults: credentials, language and kinds of app that a sender brings stay, and so does everything else in
/// the message. A type without credentials says nothing, and goes with the credentials that are filled in.
struct LaunchCredentialsHandler: MessageHandler {
    let name = BuiltInHandlers.Name.launchCredentials
    let claims: [Claim]
    private let settings: LaunchSettings

    /// Claims what may have to be changed, now or after a change at run time.
    init(settings: LaunchSettings) {
        self.settings = settings
        var claims: [Claim] = []
        if settings.mayChangeLaunches {
            claims.append(Claim(.exact(.receiver), phase: .filter, types: [ReceiverRequest.Kind.launch.rawValue]))
        }
        if settings.mayChangeLoads { claims.append(Claim(.exact(.media), phase: .filter, types: ["LOAD"])) }
        self.claims = claims
    }

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        message.message.namespace == .receiver ? self.launch(message) : self.load(message)
    }

    private func launch(_ message: RoutedMessage) -> Verdict {
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

    /// Fills the credentials of the app that loads into a LOAD; Android TV apps get those of their own, as the Cast SDKs do
    /// it.
    private func load(_ message: RoutedMessage) -> Verdict {
        guard let session = message.session, let object = message.message.payload.jsonObject else { return .pass }
        var request = LoadRequest(json: object)
        let ids = [session.universalAppID, session.appID].compactMap(\.self)
        guard self.settings.fill(&request, for: ids, isAndroidTV: session.appType == "ANDROID_TV") else {
            return .pass
        }
        return .rewrite(.json(request.json))
    }
}

extension ReceiverRequest.LaunchCredentials {
    /// The form that is sent; what is not there is left out, and an empty text is kept.
    package init(_ configured: LaunchCredentials) {
        self.init(credentials: configured.credentials.reveal(), credentialsType: configured.type)
    }
}
