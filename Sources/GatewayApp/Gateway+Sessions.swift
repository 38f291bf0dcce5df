public import CastClient
import CastIdentity
public import CastWire
public import DeviceSessions
import GatewayConfig
public import GatewayCore
import Logging
public import NamespaceHandlers

extension Gateway {
    /// The real devices, and the sessions with apps on them.
    public var deviceSessions: DeviceSessionDirectory { self.devices }

    /// Starts a session with an app on a device, with the credentials and the kinds of app that `launch` says.
    /// - Parameters:
    ///   - device: a device of the configuration, or the id or name of one that discovery has found.
    ///   - languageCode: the user's language, such as `en-US`; nil stands for `launch.language`.
    ///   - isAndroidReceiverCompatible: whether the Android TV app may be started; nil stands for
    ///     `launch.android_receiver_compatible`.
    ///   - relaunchesIfRunning: whether an app that runs is launched anew; nil stands for `launch.relaunch_if_running`.
    /// - Throws: As ``DeviceSessionDirectory/startSession(device:app:options:)``.
    public func startSession(
        device: String, app: AppID, languageCode: String? = nil, isAndroidReceiverCompatible: Bool? = nil,
        relaunchesIfRunning: Bool? = nil
    ) async throws(SessionFailure) -> CastSession {
        let configuration = self.configuration
        let launch = configuration.launch
        var options = LaunchOptions(
            languageCode: languageCode ?? launch.language,
            relaunchesIfRunning: relaunchesIfRunning ?? launch.relaunchesIfRunning,
            senderName: launch.senderName ?? configuration.gateway.name)
        options.isAndroidReceiverCompatible =
            isAndroidReceiverCompatible ?? launch.androidReceiverCompatible
        options.credentials = self.launchSettings.credentialsForLaunch(of: app)
            .map(ReceiverRequest.LaunchCredentials.init)
        return try await self.devices.startSession(device: device, app: app, options: options)
    }

    /// Where sessions are written down; nil, which is said, when that is not possible.
    static func makeSessionStore(_ identities: IdentityStore, _ logger: Logger) -> SessionStore? {
        do {
            return try SessionStore(database: identities.database, logger: logger)
        } catch {
            logger.error(
                "Sessions cannot be written down; they would not outlive the gateway", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}

// The loads of Castway's own sessions carry the credentials that those of senders get on their way.
extension LaunchSettings: LoadCompletion {
    /// Fills in the credentials of `launch` that are meant for loads.
    public func complete(_ load: inout LoadRequest, for app: ReceiverApplication) {
        let ids = [app.universalAppID, app.appID].compactMap(\.self)
        _ = self.fill(&load, for: ids, isAndroidTV: app.appType == "ANDROID_TV")
    }
}
