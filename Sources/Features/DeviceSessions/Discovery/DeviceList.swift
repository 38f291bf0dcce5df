import CastDiscovery
import CastWire
import GatewayCore
import NIOCore

/// The devices that there are: what was heard on every interface and what is named in `gateway.yaml`, as one ordered
/// list.
///
/// A device is its id. Addresses, names and hosts may change under it, a group's most of all, and it may be heard several
/// times at once. It goes when it is not heard anywhere any more and has not come back for a moment. Knows no clock:
/// instants are passed in, and ``nextDeadline`` says when to call ``timePassed(at:)``.
struct DeviceList {
    /// Time limits.
    struct Times {
        /// Before a device goes that said goodbye; groups say so when their leader changes.
        var grace = TimeAmount.seconds(3)
        /// Before what was heard is given up when nothing can be heard any more; the lifetime of the records.
        var deafness = TimeAmount.seconds(120)
        /// Before it is given up when all other devices have been heard again.
        var recovery = TimeAmount.seconds(10)
    }

    /// More than any network has; what comes beyond is not kept.
    private static let maximumDevices = 8192

    private let times: Times
    private var seen: [DeviceID: SeenDevice] = [:]
    private var owners = SightingOwners()
    private var statics: [StaticEntry] = []
    /// The static entries by the ids under which they are listed; of several with one id the first counts.
    private var staticsByID: [String: StaticEntry] = [:]
    /// The devices that were heard at the addresses of static entries without an id.
    private var bindings: [String: DeviceID] = [:]
    private var ignored: Set<DeviceID> = []
    private var filter = DeviceFilter()
    private var apps: [String: [AppID: Bool]] = [:]
    private var attributes: [String: [String: String]] = [:]
    private var order: UInt64 = 0
    private var staleDeadline: NIODeadline?
    private var ordered = OrderedDevices()

    init(times: Times = Times()) {
        self.times = times
    }

    /// The devices in their order.
    var devices: [DiscoveredDevice] { self.ordered.devices }

    /// The time when ``timePassed(at:)`` has something to do; nil for never.
    var nextDeadline: NIODeadline? {
        (self.seen.values.compactMap(\.lostAt) + [self.staleDeadline].compactMap(\.self)).min()
    }

    // MARK: The configuration

    /// Takes what `gateway.yaml` says.
    /// - Parameter ignored: Castway's own virtual devices, which come back from the network like any other.
    mutating func configure(
        statics: [StaticEntry], filter: DeviceFilter, ignored: Set<DeviceID>
    ) -> [DeviceListChange] {
        self.statics = statics
        self.filter = filter
        self.ignored = ignored
        let names = Set(statics.filter { $0.id == nil }.map(\.name))
        self.bindings = self.bindings.filter { names.contains($0.key) }
        for device in self.seen.values { self.bind(device) }
        self.indexStatics()
        return self.refreshAll()
    }

    // MARK: What is heard

    mutating func handle(_ event: BrowseEvent, at now: NIODeadline) -> [DeviceListChange] {
        switch event {
        case .browsing: return []
        case .seen(let sighting): return self.see(sighting, at: now)
        case .gone(let key): return self.lose(key, at: now)
        case .blocked:
            for id in self.seen.keys { self.seen[id]?.age() }
            self.staleDeadline = self.seen.isEmpty ? nil : now + self.times.deafness
            return []
        case .settled:
            if let deadline = self.staleDeadline { self.staleDeadline = min(deadline, now + self.times.recovery) }
            return []
        }
    }

    private mutating func see(_ sighting: ServiceSighting, at now: NIODeadline) -> [DeviceListChange] {
        let id = sighting.record.id
        var touched = [id]
        if let former = self.owners[sighting.key], former != id {
            self.drop(sighting.key, of: former, at: now)
            touched.append(former)
        }
        guard self.seen[id] != nil || self.seen.count < Self.maximumDevices else { return self.refresh(touched) }
        self.order += 1
        var device = self.seen[id] ?? SeenDevice(id: id)
        device.see(sighting, order: self.order)
        self.seen[id] = device
        if device.sightings[sighting.key] != nil { self.owners[sighting.key] = id }
        return self.refresh(touched, alsoStatic: self.bind(device))
    }

    private mutating func lose(_ key: ServiceSighting.Key, at now: NIODeadline) -> [DeviceListChange] {
        guard let id = self.owners[key] else { return [] }
        self.drop(key, of: id, at: now)
        return self.refresh([id])
    }

    private mutating func drop(_ key: ServiceSighting.Key, of id: DeviceID, at now: NIODeadline) {
        self.owners[key] = nil
        guard var device = self.seen[id] else { return }
        device.lose(key)
        if !device.isHeard { device.lostAt = now + self.times.grace }
        self.seen[id] = device
    }

    /// Nothing is listened for any more: what was heard goes at once, and static entries stay.
    mutating func reset() -> [DeviceListChange] {
        self.seen = [:]
        self.owners = SightingOwners()
        self.staleDeadline = nil
        return self.refreshAll()
    }

    /// Gives up what has not come back in time.
    mutating func timePassed(at now: NIODeadline) -> [DeviceListChange] {
        var touched: [DeviceID] = []
        if let deadline = self.staleDeadline, now >= deadline {
            self.staleDeadline = nil
            for (id, var device) in self.seen {
                let stale = device.dropStale()
                guard !stale.isEmpty else { continue }
                for key in stale { self.owners[key] = nil }
                self.seen[id] = device.isHeard ? device : nil
                touched.append(id)
            }
        }
        for (id, device) in self.seen where device.lostAt.map({ now >= $0 }) ?? false {
            self.seen[id] = nil
            touched.append(id)
        }
        return self.refresh(touched)
    }

    // MARK: What others know

    /// Takes whether a device has an app, as it said when it was asked.
    mutating func note(app: AppID, on id: String, isAvailable: Bool) -> [DeviceListChange] {
        self.apps[id, default: [:]][app] = isAvailable
        return DeviceID(id).map { self.refresh([$0]) } ?? []
    }

    /// Keeps something with a device, and tells of it once; nil removes a name. A device need not be there.
    mutating func set(attributes: [String: String?], of id: String) -> [DeviceListChange] {
        for (name, value) in attributes { self.attributes[id, default: [:]][name] = value }
        if self.attributes[id]?.isEmpty ?? false { self.attributes[id] = nil }
        return self.refresh(ids: [id])
    }

    /// The number of devices that are heard and not listed, and why.
    var hidden: HiddenDevices {
        var hidden = HiddenDevices()
        for id in self.seen.keys where !self.ignored.contains(id) && self.ordered[id.text] == nil {
            guard let device = self.known(id.text) else { continue }
            if !self.filter.allows(device) { hidden.denied += 1 } else { hidden.unfit += 1 }
        }
        return hidden
    }

    // MARK: Finding

    /// The device of an id in any of its forms, with or without its category before it; nil when it is not listed.
    func device(id: String) -> DiscoveredDevice? {
        if let device = self.ordered[id] ?? DeviceID(id).flatMap({ self.ordered[$0.text] }) { return device }
        guard let (category, plain) = DeviceCategory.divide(uniqueID: id) else { return nil }
        let device = self.ordered[plain] ?? DeviceID(plain).flatMap { self.ordered[$0.text] }
        return device?.category == category ? device : nil
    }

    /// The device that a name in `gateway.yaml` means: a static entry, an id, or a friendly name. Of several devices of
    /// one friendly name it is the one with the lowest id.
    func device(named name: String) -> DiscoveredDevice? {
        if let entry = self.statics.first(where: { $0.name == name }) { return self.ordered[self.id(of: entry)] }
        if let device = self.device(id: name) { return device }
        return self.ordered.first(named: name)
    }

    /// The ids of the listed devices that are heard under an instance name, which is folded.
    func ids(announcedAs instance: String) -> [String] {
        self.owners.devices(announcedAs: instance).map(\.text).filter { self.ordered[$0] != nil }
    }

    // MARK: The list

    /// Binds static entries without an id to the device that they mean.
    /// - Returns: the ids under which they were listed before.
    @discardableResult
    private mutating func bind(_ device: SeenDevice) -> [String] {
        guard device.isHeard, !self.ignored.contains(device.id) else { return [] }
        var former: [String] = []
        for entry in self.statics where entry.id == nil && device.addresses.contains(entry.address) {
            guard self.bindings[entry.name] != device.id else { continue }
            former.append(self.id(of: entry))
            self.bindings[entry.name] = device.id
        }
        if !former.isEmpty { self.indexStatics() }
        return former
    }

    private mutating func indexStatics() {
        self.staticsByID = Dictionary(self.statics.map { (self.id(of: $0), $0) }) { first, _ in first }
    }

    private func id(of entry: StaticEntry) -> String {
        (entry.id ?? self.bindings[entry.name])?.text ?? "static:\(entry.name)"
    }

    private mutating func refresh(_ ids: [DeviceID], alsoStatic other: [String] = []) -> [DeviceListChange] {
        self.refresh(ids: ids.map(\.text) + other)
    }

    private mutating func refreshAll() -> [DeviceListChange] {
        let ids = Set(
            self.seen.keys.map(\.text) + self.devices.map(\.id) + self.staticsByID.keys)
        return self.refresh(ids: ids.sorted())
    }

    private mutating func refresh(ids: [String]) -> [DeviceListChange] {
        var changes: [DeviceListChange] = []
        for id in ids {
            let device = self.listed(id)
            // Callers know a device by its name in the gateway and by its unique id: with others it is another device to them.
            if let old = self.ordered[id], let device,
                old.staticName != device.staticName || old.category != device.category,
                let change = self.ordered.set(id, to: nil)
            {
                changes.append(change)
            }
            if let change = self.ordered.set(id, to: device) { changes.append(change) }
        }
        return changes.isEmpty ? [] : [.willUpdate] + changes + [.didUpdate(count: self.devices.count)]
    }

    /// The listed device of an id; nil when it has no place in the list.
    private func listed(_ id: String) -> DiscoveredDevice? {
        self.known(id).flatMap { self.filter.accepts($0) ? $0 : nil }
    }

    /// The device of an id, listed or not; nil for one that is neither heard nor named in `gateway.yaml`.
    private func known(_ id: String) -> DiscoveredDevice? {
        let key = DeviceID(id)
        let seen = key.flatMap { self.ignored.contains($0) ? nil : self.seen[$0] }
        // What a plugin says of a device that is heard gives it no other name and no other address.
        let entry = self.staticsByID[id].flatMap { $0.source != nil && seen != nil ? nil : $0 }
        guard entry != nil || seen != nil else { return nil }
        var addresses = seen?.addresses ?? []
        // An address that was written down is tried last: the device may have another by now.
        if let address = entry?.address, !addresses.contains(address) { addresses.append(address) }
        var device = DiscoveredDevice(
            id: id, staticName: entry?.name, addresses: addresses, isAnnounced: seen?.isHeard ?? false)
        device.hearing = seen?.hearing ?? [:]
        if let address = entry?.address { device.hearing[address] = nil }
        device.source = entry?.source
        device.isNamedByAddress = entry.map { $0.id == nil } ?? false
        device.record = seen?.record
        device.host = seen?.host ?? ""
        device.subtypes = seen?.subtypes ?? []
        device.apps = self.apps[id] ?? [:]
        device.attributes = self.attributes[id] ?? [:]
        return device
    }
}

/// One step from one state of the device list to the next. Applied one after the other to a copy of the list, they make
/// the list what it is; each index is that of its moment.
package enum DeviceListChange: Hashable, Sendable {
    /// Changes follow.
    case willUpdate
    case inserted(DiscoveredDevice, index: Int)
    /// A device says something else; it was at the one index and is at the other now, which are mostly the same.
    case updated(DiscoveredDevice, index: Int, newIndex: Int)
    case removed(DiscoveredDevice, index: Int)
    /// No more changes follow.
    case didUpdate(count: Int)
}
