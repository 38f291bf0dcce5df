internal import PluginKit

extension PluginInstance {
    /// What the instance is granted, in one line for people, such as
    /// `handle urn:x-cast:com.example.quiz; send same_session; events quiz.*; storage 65536 bytes`.
    public var grantSummary: String {
        var parts = self.namespaces.map(\.claim).map { claim in
            var text = "\(claim.phase.rawValue) \(claim.match)"
            if let types = claim.types { text += " (\(types.joined(separator: ", ")))" }
            if let directions = claim.directions {
                text += " \(directions.map(\.rawValue).joined(separator: " and "))"
            }
            if let apps = claim.apps { text += " of \(apps.joined(separator: ", "))" }
            if let devices = claim.devices { text += " on \(devices.joined(separator: ", "))" }
            return text
        }
        if self.send != .none { parts.append("send \(self.send.rawValue)") }
        if !self.events.isEmpty { parts.append("events \(self.events.joined(separator: ", "))") }
        if self.network != .none { parts.append("network \(self.network.rawValue)") }
        if self.storage > 0 { parts.append("storage \(self.storage) bytes") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
    }
}
