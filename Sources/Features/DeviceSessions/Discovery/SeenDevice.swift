import CastDiscovery
import NIOCore

/// A device by its id: everything that is heard of it at the moment.
struct SeenDevice {
    struct Sighted {
        var sighting: ServiceSighting
        /// Grows with each host that the device comes to; the latest is a group's leader.
        var hostOrder: UInt64
        /// Grows with each change.
        var changeOrder: UInt64
        /// Heard before the daemon went, and not again since.
        var isStale = false
    }

    /// More than any machine has interfaces; what comes beyond is not kept.
    private static let maximumSightings = 64

    let id: DeviceID
    private(set) var sightings: [ServiceSighting.Key: Sighted] = [:]
    /// The record when it was heard last.
    private(set) var record: DeviceRecord?
    private(set) var host = ""
    private(set) var addresses: [DeviceAddress] = []
    /// The names of the network interfaces on which each address was heard.
    private(set) var hearing: [DeviceAddress: Set<String>] = [:]
    private(set) var subtypes: Set<ServiceSubtype> = []
    /// The time when it is given up; nil as long as it is heard.
    var lostAt: NIODeadline?

    init(id: DeviceID) {
        self.id = id
    }

    var isHeard: Bool { !self.sightings.isEmpty }

    mutating func see(_ sighting: ServiceSighting, order: UInt64) {
        let known = self.sightings[sighting.key]
        guard known != nil || self.sightings.count < Self.maximumSightings else { return }
        let hostOrder = self.sightings.values.first { $0.sighting.host == sighting.host }?.hostOrder
        self.sightings[sighting.key] = Sighted(
            sighting: sighting, hostOrder: hostOrder ?? order,
            changeOrder: known?.sighting == sighting ? known?.changeOrder ?? order : order)
        self.lostAt = nil
        self.summarize()
    }

    mutating func lose(_ key: ServiceSighting.Key) {
        self.sightings[key] = nil
        self.summarize()
    }

    mutating func age() {
        for key in self.sightings.keys { self.sightings[key]?.isStale = true }
    }

    mutating func dropStale() -> [ServiceSighting.Key] {
        let stale = self.sightings.filter(\.value.isStale).map(\.key)
        for key in stale { self.sightings[key] = nil }
        self.summarize()
        return stale
    }

    /// Of what is said in several places the latest counts; addresses are tried on the latest host first.
    private mutating func summarize() {
        // What was known last stays for the moment before it is given up.
        guard
            let latest = self.sightings.values.max(by: {
                ($0.hostOrder, $0.changeOrder) < ($1.hostOrder, $1.changeOrder)
            })
        else { return }
        self.record = latest.sighting.record
        self.host = latest.sighting.host
        self.subtypes = self.sightings.values.reduce(into: []) { $0.formUnion($1.sighting.subtypes) }
        var hearing: [DeviceAddress: Set<String>] = [:]
        self.addresses = self.sightings.values.sorted(by: Self.isBetter).compactMap { sighted in
            let address = DeviceAddress(host: sighted.sighting.address, port: sighted.sighting.port)
            let isNew = hearing[address] == nil
            hearing[address, default: []].insert(sighted.sighting.interfaceName)
            return isNew ? address : nil
        }
        self.hearing = hearing
    }

    private static func isBetter(_ left: Sighted, _ right: Sighted) -> Bool {
        if left.isStale != right.isStale { return right.isStale }
        if left.hostOrder != right.hostOrder { return left.hostOrder > right.hostOrder }
        let (a, b) = (left.sighting, right.sighting)
        if a.key.family != b.key.family { return a.key.family < b.key.family }
        let (isLocal, isOtherLocal) = (a.address.contains("%"), b.address.contains("%"))
        if isLocal != isOtherLocal { return isOtherLocal }
        if a.key.interface != b.key.interface { return a.key.interface < b.key.interface }
        return left.changeOrder > right.changeOrder
    }
}

/// The device of each sighting, and the devices that an instance name stands for.
struct SightingOwners {
    private var owners: [ServiceSighting.Key: DeviceID] = [:]
    /// By instance name, as ``CastService/folded(instance:)`` makes it.
    private var keys: [String: Set<ServiceSighting.Key>] = [:]

    subscript(key: ServiceSighting.Key) -> DeviceID? {
        get { self.owners[key] }
        set {
            self.owners[key] = newValue
            let instance = CastService.folded(instance: key.instance)
            if newValue != nil {
                self.keys[instance, default: []].insert(key)
            } else {
                self.keys[instance]?.remove(key)
                if self.keys[instance]?.isEmpty ?? false { self.keys[instance] = nil }
            }
        }
    }

    /// The devices of an instance name, which is folded; mostly one.
    func devices(announcedAs instance: String) -> Set<DeviceID> {
        Set((self.keys[instance] ?? []).compactMap { self.owners[$0] })
    }
}
