import NIOCore

/// The places that are listened at, or are about to be, and what to do when interfaces come and go.
struct ListeningPlaces {
    /// One attempt to listen at a place; a later one at the same place is another.
    struct Attempt: Hashable {
        let place: ListeningPlace
        let number: UInt64
    }

    /// Each takes a descriptor; more than this are not opened.
    static let maximumPlaces = 256

    private let interfaces: Set<String>
    private var attempts: [ListeningPlace: Attempt] = [:]
    private var number: UInt64 = 0
    /// The number of places beyond ``maximumPlaces``.
    private(set) var omitted = 0

    /// - Parameter interfaces: the names of those to listen on; empty for all.
    init(interfaces: [String]) {
        self.interfaces = Set(interfaces)
    }

    /// Takes the places that are there now.
    /// - Returns: what to open and what to close.
    mutating func update(_ available: [ListeningPlace]) -> (open: [Attempt], close: [Attempt]) {
        let wanted = available.filter { self.interfaces.isEmpty || self.interfaces.contains($0.interfaceName) }
        let there = Set(wanted)
        let close = self.attempts.values.filter { !there.contains($0.place) }
        for attempt in close { self.attempts[attempt.place] = nil }
        var open: [Attempt] = []
        for place in wanted where self.attempts[place] == nil && self.attempts.count < Self.maximumPlaces {
            self.number += 1
            let attempt = Attempt(place: place, number: self.number)
            self.attempts[place] = attempt
            open.append(attempt)
        }
        self.omitted = there.count - self.attempts.count
        return (open, close)
    }

    /// True if it is still wanted.
    func contains(_ attempt: Attempt) -> Bool {
        self.attempts[attempt.place] == attempt
    }

    /// It has failed or ended by itself; the next update begins anew.
    mutating func ended(_ attempt: Attempt) {
        if self.contains(attempt) { self.attempts[attempt.place] = nil }
    }
}

/// A place where announcements are heard: one interface in one protocol.
struct ListeningPlace: Hashable {
    let interfaceName: String
    let interface: Int
    let family: AddressFamily

    /// The address and port of mDNS there (RFC 6762, section 3).
    func group() throws -> SocketAddress {
        switch self.family {
        case .ipv4: try SocketAddress(ipAddress: "224.0.0.251", port: Self.port)
        case .ipv6: try SocketAddress(ipAddress: "ff02::fb%\(self.interfaceName)", port: Self.port)
        }
    }

    static let port = 5353
}

extension ListeningPlace {
    /// The place that an address of an interface stands for; nil for those in which nothing is heard.
    init?(_ device: NIONetworkDevice) {
        guard device.multicastSupported else { return nil }
        switch device.address {
        case .v4: self.init(interfaceName: device.name, interface: device.interfaceIndex, family: .ipv4)
        case .v6: self.init(interfaceName: device.name, interface: device.interfaceIndex, family: .ipv6)
        default: return nil
        }
    }
}
