/// An address at which a device is dialled.
package struct DeviceAddress: Sendable, Hashable, CustomStringConvertible {
    /// An IP address or a host name.
    package let host: String
    /// The port of the Cast channel.
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `host:port`, for logs.
    package var description: String {
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

    /// The addresses, best first.
    private(set) var all: [DeviceAddress]
    /// The address that worked last.
    private(set) var proven: DeviceAddress?
    /// The addresses that came since the last round, or since the device was last heard.
    private(set) var new: [DeviceAddress] = []
    /// The rest of this round.
    private var untried: [DeviceAddress] = []

    init(_ addresses: [DeviceAddress]) {
        self.all = Self.distinct(addresses)
    }

    var isEmpty: Bool { self.all.isEmpty }
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

    mutating func beginRound() {
        self.untried = Self.distinct(self.new + [self.proven].compactMap(\.self) + self.all)
        self.new = []
    }

    mutating func next() -> DeviceAddress? {
        self.untried.isEmpty ? nil : self.untried.removeFirst()
    }

    /// Notes that an address is being tried already.
    mutating func tried(_ address: DeviceAddress) {
        self.untried.removeAll { $0 == address }
    }

    /// The device was heard on its channel: new addresses are tried in the order of the list.
    mutating func heard() {
        self.new = []
    }

    mutating func worked(_ address: DeviceAddress) {
        self.new = []
        self.proven = address
        if !self.all.contains(address) { self.all.append(address) }
    }

    mutating func disproved(_ address: DeviceAddress) {
        if self.proven == address { self.proven = nil }
    }

    private static func distinct(_ addresses: [DeviceAddress]) -> [DeviceAddress] {
        var seen = Set<DeviceAddress>()
        return Array(addresses.filter { seen.insert($0).inserted }.prefix(Self.maximumCount))
    }
}
