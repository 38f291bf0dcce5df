import CastDiscovery

/// Whose each sighting is, and which devices have a name.
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
