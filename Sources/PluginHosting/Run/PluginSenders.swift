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

extension SenderFacts {
    /// What is known, by the names of the plugin wire.
    var pluginData: JSONObject {
        let members: [(String, JSONValue?)] = [
            ("name", self.model.map { .string($0) }), ("userAgent", self.userAgent.map { .string($0) }),
            ("platform", self.platform.map { .string($0.word) }),
            ("systemVersion", self.systemVersion.map { .string($0) }), ("sdk", self.sdk.map { .number($0) }),
            ("sdkVersion", self.sdkVersion.map { .string($0) }),
            ("connectionType", self.connectionType.map { .number($0) }),
            ("launchUrl", self.launchURL.map { .string($0) }),
        ]
        return JSONObject(members.compactMap { name, value in value.map { (name, $0) } })
    }
}
