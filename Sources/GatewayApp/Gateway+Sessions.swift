import CastIdentity
public import CastWire
public import DeviceSessions
import GatewayConfig
public import GatewayCore
import Logging
import NamespaceHandlers

extension Gateway {
    /// The real devices, and the sessions with apps on them.
    public var deviceSessions: DeviceSessionDirectory { self.devices }

    /// Starts a session with an app on a device, with the credentials and the kinds of app that `launch` says.
    /// - Parameters:
    ///   - device: a device of the configuration, or the id or name of one that discovery has found.
    ///   - languageCode: the user's language, such as `en-US`; nil leaves it out.
    ///   - relaunchesIfRunning: whether an app that runs is launched anew.
    /// - Throws: As ``DeviceSessionDirectory/startSession(device:app:options:)``.
    public func startSession(
        device: String, app: AppID, languageCode: String? = nil, relaunchesIfRunning: Bool = false
    ) async throws(SessionFailure) -> CastSession {
        let configuration = self.configuration
        var options = LaunchOptions(
            languageCode: languageCode, relaunchesIfRunning: relaunchesIfRunning,
            senderName: configuration.gateway.name)
        options.isAndroidReceiverCompatible = configuration.launch.androidReceiverCompatible
        if let credentials = self.launchSettings.credentialsForLaunch(of: app) {
            options.credentials = ReceiverRequest.LaunchCredentials(
                credentials: credentials.credentials.reveal(), credentialsType: credentials.type)
        }
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
