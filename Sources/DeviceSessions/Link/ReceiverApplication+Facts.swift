import CastWire
import GatewayCore

extension ReceiverApplication {
    /// What handlers may know of the app; nil when the device leaves out what makes a session.
    var facts: SessionFacts? {
        guard let appID, let sessionID, let transportID else { return nil }
        return SessionFacts(
            appID: appID, universalAppID: self.universalAppID, appType: self.appType, sessionID: sessionID,
            transportID: transportID, displayName: self.displayName ?? "", namespaces: self.namespaces)
    }
}
