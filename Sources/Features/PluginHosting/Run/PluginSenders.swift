import CastWire
import GatewayCore
import PluginKit

extension PluginSnapshot.Sender {
    /// A sender as plugins see it.
    init(_ sender: GatewaySnapshot.Sender) {
        self.init(
            connection: Int(truncatingIfNeeded: sender.connection.rawValue), address: sender.address,
            sessions: sender.sessions)
        self.take(sender.facts)
    }

    private mutating func take(_ facts: SenderFacts) {
        self.name = facts.model
        self.userAgent = facts.userAgent
        self.platform = facts.platform?.word
        self.systemVersion = facts.systemVersion
        self.sdk = facts.sdk
        self.sdkVersion = facts.sdkVersion
        self.connectionType = facts.connectionType
        self.launchURL = facts.launchURL
    }
}
