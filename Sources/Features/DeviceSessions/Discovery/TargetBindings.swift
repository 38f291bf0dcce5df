import CastDiscovery

/// The device that each target of a virtual device means, and what of it the sessions have been told.
///
/// A friendly name keeps to the device that it found first, also when there come others of that name or the device is
/// renamed.
struct TargetBindings {
    struct Update: Hashable {
        let target: String
        let candidates: [DeviceAddress]
        let isAnnounced: Bool
        /// The identity; nil when any device at these addresses is meant.
        var identity: ExpectedDevice?
        /// True if the device says that it shows video; nil when it says nothing of itself.
        var showsVideo: Bool?
    }

    private struct Told: Equatable {
        let addresses: [DeviceAddress]
        let identity: ExpectedDevice?
        let showsVideo: Bool?
    }

    private var configured: Set<String> = []
    /// Devices that sessions follow besides those of the configuration.
    private var followed: Set<String> = []
    private var targets: [String] = []
    private var bound: [String: String] = [:]
    private var told: [String: Told] = [:]

    mutating func configure(_ targets: Set<String>) {
        self.configured = targets
        self.update()
    }

    /// Adds a device, or takes it away again.
    mutating func follow(_ device: String, _ isWanted: Bool) {
        if isWanted { self.followed.insert(device) } else { self.followed.remove(device) }
        self.update()
    }

    private mutating func update() {
        let targets = self.configured.union(self.followed)
        self.targets = targets.sorted()
        self.bound = self.bound.filter { targets.contains($0.key) }
        self.told = self.told.filter { targets.contains($0.key) }
    }

    /// Returns the changes that have to be told now. A device that is not there any more keeps its last addresses: it
    /// may be reached all the same (protocol notes, 9, quirk 17).
    /// - Parameter announced: the id of the device that has just been heard.
    mutating func updates(from list: DeviceList, announced: String? = nil) -> [Update] {
        var updates: [Update] = []
        for target in self.targets {
            guard let device = self.device(target, in: list), !device.addresses.isEmpty else { continue }
            let isAnnounced = device.id == announced
            let identity = device.identity(as: target)
            let told = Told(addresses: device.addresses, identity: identity, showsVideo: device.showsVideo)
            guard isAnnounced || self.told[target] != told else { continue }
            self.told[target] = told
            updates.append(
                Update(
                    target: target, candidates: device.addresses, isAnnounced: isAnnounced, identity: identity,
                    showsVideo: device.showsVideo))
        }
        return updates
    }

    /// Returns the updates for a device that says that it is there, before or without anything new in the list.
    /// - Parameter address: where it says that it is; nil when it does not say.
    func announcement(of id: String, at address: DeviceAddress?, in list: DeviceList) -> [Update] {
        guard let device = list.device(id: id) else { return [] }
        var candidates = device.addresses
        if let address, !candidates.contains(address) { candidates.insert(address, at: 0) }
        guard !candidates.isEmpty else { return [] }
        return self.bound.filter { $0.value == id }.keys.sorted().map {
            Update(
                target: $0, candidates: candidates, isAnnounced: true, identity: device.identity(as: $0),
                showsVideo: device.showsVideo)
        }
    }

    /// The id of the device that a target means; nil while it has not been found.
    func id(of target: String) -> String? { self.bound[target] }

    private mutating func device(_ target: String, in list: DeviceList) -> DiscoveredDevice? {
        let found = list.device(named: target)
        if let former = self.bound[target].flatMap({ list.device(id: $0) }), found?.staticName != target,
            found == nil || former.friendlyName == target
        {
            return former
        }
        if let found { self.bound[target] = found.id }
        return found
    }
}
