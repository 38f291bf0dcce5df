/// The instances that a browser knows, which of them are resolved, and what to do about it.
///
/// An instance is one name on one interface in one protocol. It exists as long as any of the browsed types lists it,
/// and is told when host, address and record are known; each change of these is told again.
struct BrowseTable {
    enum Action: Hashable {
        /// Find out host, address and record, and follow their changes.
        case resolve(ServiceSighting.Key)
        case stopResolving(ServiceSighting.Key)
        /// Resolve anew after a while: not everything came.
        case resolveLater(ServiceSighting.Key, milliseconds: Int)
        case tell(BrowseEvent)
    }

    /// The answer of a resolver.
    struct Resolution: Hashable {
        var interfaceName: String
        var host: String
        var address: String
        var port: Int
        var txt: [TXTEntry]
    }

    private struct Instance {
        /// The types; nil stands for the plain type.
        var types: Set<ServiceSubtype?>
        var resolution: Resolution?
        var told: ServiceSighting?
        var failures = 0
    }

    /// More than any network has; what comes beyond is not looked at.
    private static let maximumInstances = 16384
    private static let firstPause = 2000
    private static let longestPause = 60000

    private var instances: [ServiceSighting.Key: Instance] = [:]

    /// The number of instances that are known.
    var count: Int { self.instances.count }

    /// A browsed type lists an instance; nil is the plain type.
    mutating func appeared(_ key: ServiceSighting.Key, as type: ServiceSubtype?) -> [Action] {
        guard var instance = self.instances[key] else {
            guard self.instances.count < Self.maximumInstances else { return [] }
            self.instances[key] = Instance(types: [type])
            return [.resolve(key)]
        }
        instance.types.insert(type)
        self.instances[key] = instance
        return self.tell(key)
    }

    mutating func disappeared(_ key: ServiceSighting.Key, from type: ServiceSubtype?) -> [Action] {
        guard var instance = self.instances[key], instance.types.remove(type) != nil else { return [] }
        self.instances[key] = instance
        guard instance.types.isEmpty else { return self.tell(key) }
        self.instances[key] = nil
        return [.stopResolving(key)] + (instance.told == nil ? [] : [.tell(.gone(key))])
    }

    mutating func forget(_ type: ServiceSubtype) -> [Action] {
        self.instances.keys.flatMap { self.disappeared($0, from: type) }
    }

    /// A resolver found something, or something else than before.
    mutating func resolved(_ key: ServiceSighting.Key, _ resolution: Resolution) -> [Action] {
        guard self.instances[key] != nil else { return [] }
        self.instances[key]?.failures = 0
        self.instances[key]?.resolution = resolution
        return self.tell(key)
    }

    /// A resolver gave up, since not everything came in time.
    mutating func failed(_ key: ServiceSighting.Key) -> [Action] {
        guard let failures = self.instances[key]?.failures else { return [] }
        self.instances[key]?.failures = min(failures + 1, 16)
        return [
            .stopResolving(key),
            .resolveLater(key, milliseconds: min(Self.firstPause << failures, Self.longestPause)),
        ]
    }

    /// The pause behind a failure is over.
    func mayResolve(_ key: ServiceSighting.Key) -> Bool {
        self.instances[key] != nil
    }

    /// The daemon is gone and everything with it; the browser's owner is not told what goes, only that nothing can be heard.
    mutating func clear() {
        self.instances = [:]
    }

    private mutating func tell(_ key: ServiceSighting.Key) -> [Action] {
        guard let instance = self.instances[key], let resolution = instance.resolution else { return [] }
        guard let record = DeviceRecord(txt: resolution.txt, instance: key.instance) else {
            // No device of ours, or none any more.
            guard instance.told != nil else { return [] }
            self.instances[key]?.told = nil
            return [.tell(.gone(key))]
        }
        let sighting = ServiceSighting(
            key: key, interfaceName: resolution.interfaceName, host: resolution.host, address: resolution.address,
            port: resolution.port, record: record, subtypes: Set(instance.types.compactMap(\.self)))
        guard sighting != instance.told else { return [] }
        self.instances[key]?.told = sighting
        return [.tell(.seen(sighting))]
    }
}
