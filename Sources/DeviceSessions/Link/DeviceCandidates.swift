/// Where a device is dialled.
public struct DeviceAddress: Sendable, Hashable, CustomStringConvertible {
    /// An address or a name.
    public let host: String
    /// The port of its Cast channel.
    public let port: Int

    /// Makes an address.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `host:port`, for logs.
    public var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}

/// The addresses at which a device may be found, and which of them is tried next.
///
/// They are tried in rounds, each address once: first those that are new since the last round, then the one that worked
/// last, then the others. The one that worked is kept even when it is listed no more, since devices vanish from mDNS though
/// they are there (protocol notes, 9, 17).
struct DeviceCandidates {
    /// More than any device has; further addresses are left out, so that announcements cannot make the list grow.
    static let maximumCount = 16

    /// All of them, best first.
    private(set) var all: [DeviceAddress]
    /// The one that worked last.
    private(set) var proven: DeviceAddress?
    /// Those that came since the last round, or since the device was last heard.
    private(set) var new: [DeviceAddress] = []
    /// What is left of this round.
    private var untried: [DeviceAddress] = []

    init(_ addresses: [DeviceAddress]) {
        self.all = Self.distinct(addresses)
    }

    var isEmpty: Bool { self.all.isEmpty }
    /// True while this round has another one to try.
    var hasUntried: Bool { !self.untried.isEmpty }

    /// Takes another list.
    /// - Returns: true when it has addresses that were not known before.
    mutating func replace(with addresses: [DeviceAddress]) -> Bool {
        let known = Set(self.all)
        self.all = Self.distinct(addresses)
        if let proven, !self.all.contains(proven) { self.all.append(proven) }
        let new = self.all.filter { !known.contains($0) }
        if !new.isEmpty { self.new = new }
        return !new.isEmpty
    }

    /// Forgets everything, because the operator says that the device is elsewhere.
    mutating func move(to addresses: [DeviceAddress]) {
        self = DeviceCandidates(addresses)
    }

    /// Begins a round.
    mutating func beginRound() {
        self.untried = Self.distinct(self.new + [self.proven].compactMap(\.self) + self.all)
        self.new = []
    }

    /// The next one of the round.
    mutating func next() -> DeviceAddress? {
        self.untried.isEmpty ? nil : self.untried.removeFirst()
    }

    /// This one is being tried already.
    mutating func tried(_ address: DeviceAddress) {
        self.untried.removeAll { $0 == address }
    }

    /// The device was heard on its channel: new addresses are tried in the order of the list.
    mutating func heard() {
        self.new = []
    }

    /// The device answered here.
    mutating func worked(_ address: DeviceAddress) {
        self.new = []
        self.proven = address
        if !self.all.contains(address) { self.all.append(address) }
    }

    /// Another device answered here.
    mutating func disproved(_ address: DeviceAddress) {
        if self.proven == address { self.proven = nil }
    }

    private static func distinct(_ addresses: [DeviceAddress]) -> [DeviceAddress] {
        var seen = Set<DeviceAddress>()
        return Array(addresses.filter { seen.insert($0).inserted }.prefix(Self.maximumCount))
    }
}
