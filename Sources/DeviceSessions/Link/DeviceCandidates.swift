/// The addresses at which a device may be found, and which of them is tried next.
///
/// The address that worked last is tried first, unless an announcement has brought a new one. It is kept even when it is
/// listed no more, since devices vanish from mDNS though they are there (protocol notes, 9, 17).
struct DeviceCandidates {
    /// More than any device has; the rest is left out, so that nobody makes the list grow.
    static let maximumCount = 16

    /// All of them, best first.
    private(set) var all: [DeviceAddress]
    /// The one that worked last.
    private(set) var proven: DeviceAddress?
    /// What is left of this round.
    private var untried: [DeviceAddress] = []

    init(_ addresses: [DeviceAddress]) {
        self.all = Self.distinct(addresses)
    }

    var isEmpty: Bool { self.all.isEmpty }
    /// True while this round has another one to try.
    var hasUntried: Bool { !self.untried.isEmpty }

    /// Takes another list.
    /// - Returns: the addresses that were not known before.
    mutating func replace(with addresses: [DeviceAddress]) -> [DeviceAddress] {
        let known = Set(self.all)
        self.all = Self.distinct(addresses)
        if let proven, !self.all.contains(proven) { self.all.append(proven) }
        return self.all.filter { !known.contains($0) }
    }

    /// Forgets what was, because the operator says that the device is elsewhere.
    mutating func move(to addresses: [DeviceAddress]) {
        self = DeviceCandidates(addresses)
    }

    /// Begins a round in which each is tried once.
    /// - Parameter favourites: those that are tried before all others.
    mutating func beginRound(with favourites: [DeviceAddress] = []) {
        self.untried = Self.distinct(favourites + [self.proven].compactMap(\.self) + self.all)
    }

    /// The next one of the round.
    mutating func next() -> DeviceAddress? {
        self.untried.isEmpty ? nil : self.untried.removeFirst()
    }

    /// This one is being tried already.
    mutating func tried(_ address: DeviceAddress) {
        self.untried.removeAll { $0 == address }
    }

    /// The device answered here.
    mutating func worked(_ address: DeviceAddress) {
        self.proven = address
        if !self.all.contains(address) { self.all.append(address) }
    }

    private static func distinct(_ addresses: [DeviceAddress]) -> [DeviceAddress] {
        var seen = Set<DeviceAddress>()
        return Array(addresses.filter { seen.insert($0).inserted }.prefix(Self.maximumCount))
    }
}
