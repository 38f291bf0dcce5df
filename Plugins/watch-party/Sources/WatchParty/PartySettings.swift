import PluginKit

/// What stands under `config` in `gateway.yaml`.
struct PartySettings: Decodable, Hashable {
    /// Virtual devices that are kept in step with each other.
    struct Party: Decodable, Hashable {
        var name: String
        var devices: [String]
    }

    var parties: [Party]
    /// How far apart two may be, in seconds.
    var tolerance: Double?
    /// How long a device may take to do what it is told, in seconds.
    var settle: Double?

    /// Reads the settings, and checks what the schema cannot.
    init(_ configuration: PluginConfiguration) throws(ConfigurationProblem) {
        self = try configuration.decode()
        var homes: [String: String] = [:]
        for (index, party) in self.parties.enumerated() {
            for (place, device) in party.devices.enumerated() {
                if let other = homes[device] {
                    throw ConfigurationProblem(
                        path: "/parties/\(index)/devices/\(place)",
                        message: "'\(device)' is in the party '\(other)' already")
                }
                homes[device] = party.name
            }
        }
    }
}
