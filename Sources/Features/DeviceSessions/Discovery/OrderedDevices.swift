/// Devices in the order of their names, found by their ids.
struct OrderedDevices {
    /// Names are compared as people do, capital letters like small ones; devices of one name by their ids.
    private struct Place: Comparable {
        let folded: String
        let name: String
        let id: String

        init(_ device: DiscoveredDevice) {
            self.name = device.friendlyName
            self.folded = self.name.lowercased()
            self.id = device.id
        }

        static func < (left: Place, right: Place) -> Bool {
            (left.folded, left.name, left.id) < (right.folded, right.name, right.id)
        }
    }

    private(set) var devices: [DiscoveredDevice] = []
    private var places: [Place] = []
    private var byID: [String: Place] = [:]
    private var byName: [String: Set<String>] = [:]

    subscript(id: String) -> DiscoveredDevice? {
        self.byID[id].map { self.devices[self.index(of: $0)] }
    }

    /// The device with the lowest id of those of a name.
    func first(named name: String) -> DiscoveredDevice? {
        self.byName[name]?.min().flatMap { self[$0] }
    }

    /// Puts a device in its place, or removes it.
    /// - Returns: what changed; nil when nothing did.
    mutating func set(_ id: String, to device: DiscoveredDevice?) -> DeviceListChange? {
        let old = self.byID[id].map { self.index(of: $0) }
        guard let device else {
            guard let old else { return nil }
            return .removed(self.remove(at: old), index: old)
        }
        guard let old else { return .inserted(device, index: self.insert(device)) }
        guard self.devices[old] != device else { return nil }
        if Place(device) == self.places[old] {
            self.devices[old] = device
            return .updated(device, index: old, newIndex: old)
        }
        _ = self.remove(at: old)
        return .updated(device, index: old, newIndex: self.insert(device))
    }

    private mutating func insert(_ device: DiscoveredDevice) -> Int {
        let place = Place(device)
        let index = self.index(of: place)
        self.devices.insert(device, at: index)
        self.places.insert(place, at: index)
        self.byID[device.id] = place
        self.byName[place.name, default: []].insert(device.id)
        return index
    }

    private mutating func remove(at index: Int) -> DiscoveredDevice {
        let name = self.places.remove(at: index).name
        let device = self.devices.remove(at: index)
        self.byID[device.id] = nil
        self.byName[name]?.remove(device.id)
        if self.byName[name]?.isEmpty ?? false { self.byName[name] = nil }
        return device
    }

    /// The index of a place, or the one where it belongs.
    private func index(of place: Place) -> Int {
        var range = 0..<self.places.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if self.places[middle] < place {
                range = (middle + 1)..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }
}
