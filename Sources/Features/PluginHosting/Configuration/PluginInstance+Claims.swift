import GatewayCore
import PluginKit

extension PluginInstance {
    /// The number of claims of a plugin that are looked at; each is compared with all others.
    private static let claimLimit = 64

    /// Everything that it is granted to be asked about: namespaces, and those of the handlers that it replaces.
    var allNamespaces: [GrantedNamespace] { self.namespaces + self.replaces.flatMap(\.namespaces) }

    /// Returns the plugin's claims as the router knows them.
    /// - Parameters:
    ///   - wanted: what the plugin itself wants to be asked about; nil for everything that is granted.
    ///   - onRefused: called with each claim that is not granted.
    func handlerClaims(narrowedBy wanted: [PluginClaim]? = nil, onRefused: (PluginClaim) -> Void = { _ in }) -> [Claim]
    {
        guard let wanted else {
            return self.allNamespaces.compactMap { self.claim($0.claim, $0) }
        }
        var seen: Set<PluginClaim> = []
        let all = self.allNamespaces
        return wanted.prefix(Self.claimLimit).filter { seen.insert($0).inserted }.flatMap { claim -> [Claim] in
            let claims = all.compactMap { granted in
                claim.narrowed(to: granted.claim).flatMap { self.claim($0, granted) }
            }
            if claims.isEmpty { onRefused(claim) }
            return claims
        }
    }

    private func claim(_ claim: PluginClaim, _ granted: GrantedNamespace) -> Claim? {
        let deadline = claim.phase == .filter ? self.settings.filterDeadline : self.settings.handleDeadline
        var made = claim.claim(
            deadline: granted.deadline ?? deadline, onFailure: granted.onFailure ?? self.settings.onFailure)
        made?.replaces = granted.replaces
        return made
    }
}

extension PluginClaim {
    /// Returns the part of the claim that a grant covers; nil when that is nothing. A plugin that leaves a part open
    /// gets what is granted.
    fileprivate func narrowed(to granted: PluginClaim) -> PluginClaim? {
        var claim = self
        claim.directions = Array((self.directions.map(Set.init) ?? granted.ways).intersection(granted.ways))
        claim.types = Self.narrowed(self.types, to: granted.types)
        claim.devices = Self.narrowed(self.devices, to: granted.devices)
        claim.apps = Self.narrowed(self.apps, to: granted.apps)
        let isNothing = [claim.types, claim.devices, claim.apps].contains { $0?.isEmpty == true }
        if isNothing || claim.directions?.isEmpty == true { return nil }
        if claim.isCovered(by: granted) { return claim }
        // A claim that is wider than the grant is the grant.
        var wide = granted
        wide.directions = claim.directions
        wide.types = claim.types
        wide.devices = claim.devices
        wide.apps = claim.apps
        return wide.isCovered(by: claim) ? wide : nil
    }

    private static func narrowed(_ wanted: [String]?, to granted: [String]?) -> [String]? {
        guard let wanted, let granted else { return wanted ?? granted }
        return wanted.filter(granted.contains)
    }
}
