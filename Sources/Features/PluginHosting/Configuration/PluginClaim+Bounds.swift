internal import CastWire
internal import GatewayCore
internal import PluginKit

extension PluginClaim {
    /// The directions that are meant: senders' messages unless others are written.
    var ways: Set<MessageDirection> { Set(self.directions ?? [.toReceiver]) }

    /// True if it is about the gateway's own sessions.
    var isOwn: Bool { self.leg == .own }

    /// True if every message of this claim is one of the other.
    func isCovered(by other: PluginClaim) -> Bool {
        self.phase == other.phase && self.isOwn == other.isOwn && Self.covers(other.match, self.match)
            && self.ways.isSubset(of: other.ways)
            && Self.isNarrower(self.types, other.types) && Self.isNarrower(self.devices, other.devices)
            && Self.isNarrower(self.apps, other.apps)
    }

    /// True if neither claim is the more specific, and a message may be of both.
    func shares(with other: PluginClaim) -> Bool {
        self.phase == other.phase && self.isOwn == other.isOwn && self.match == other.match
            && !self.ways.isDisjoint(with: other.ways)
            && Self.overlap(self.types, other.types) && Self.overlap(self.devices, other.devices)
            && (self.apps == nil) == (other.apps == nil) && Self.overlap(self.apps, other.apps)
    }

    /// The claim as the router knows it.
    func claim(deadline: Duration?, onFailure: FailurePolicy?) -> Claim? {
        guard let pattern = NamespacePattern(self.match) else { return nil }
        return Claim(
            pattern, phase: self.phase, directions: self.ways, leg: self.leg ?? .sender,
            types: self.types.map(Set.init), devices: self.devices.map(Set.init),
            apps: self.apps.map { Set($0.map(AppID.init(rawValue:))) }, deadline: deadline,
            onFailure: onFailure)
    }

    private static func covers(_ wide: String, _ narrow: String) -> Bool {
        if wide == "*" || wide == narrow { return true }
        guard wide.hasSuffix(".*") else { return false }
        return narrow.hasPrefix(wide.dropLast()) && narrow.utf8.count > wide.utf8.count - 1
    }

    private static func isNarrower(_ narrow: [String]?, _ wide: [String]?) -> Bool {
        guard let wide else { return true }
        guard let narrow else { return false }
        return Set(narrow).isSubset(of: wide)
    }

    private static func overlap(_ left: [String]?, _ right: [String]?) -> Bool {
        guard let left, let right else { return true }
        return !Set(left).isDisjoint(with: right)
    }
}
