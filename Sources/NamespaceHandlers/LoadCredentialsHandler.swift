import CastWire
import GatewayCore

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
