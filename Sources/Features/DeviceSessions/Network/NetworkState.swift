import NIOCore

/// The state of the host's network, so that what comes back can be told from what is only said again: wireless links and
/// IPv6 repeat themselves all the time.
struct NetworkState {
    enum Return: Hashable {
        /// A link that had lost its carrier, or was switched off, has it again: what stood over it may be stuck.
        case link
        /// There is an address or a route that was not there.
        case way
    }

    /// More links and addresses than any host has; what is told of further ones counts as new each time.
    private static let limit = 4096

    private var links: [Int32: Bool] = [:]
    private var addresses: Set<NetworkAddress> = []

    /// Takes the initial state.
    mutating func begin(with messages: [NetlinkMessage]) {
        for message in messages { _ = self.take(message) }
    }

    /// Takes a change.
    /// - Returns: what came back by it; nil when nothing did.
    mutating func take(_ message: NetlinkMessage) -> Return? {
        switch message {
        case .link(let index, let isRunning):
            let before = self.links[index]
            if before != nil || self.links.count < Self.limit { self.links[index] = isRunning }
            // One that is new has no address yet; that it gets one is told by itself.
            return before == false && isRunning ? .link : nil
        case .linkGone(let index):
            self.links[index] = nil
            self.addresses = self.addresses.filter { $0.interface != UInt32(bitPattern: index) }
            return nil
        case .address(let address):
            guard address.isUsable, !self.addresses.contains(address) else { return nil }
            if self.addresses.count < Self.limit { self.addresses.insert(address) }
            return .way
        case .addressGone(let address):
            self.addresses.remove(NetworkAddress(interface: address.interface, address: address.address))
            return nil
        case .route: return .way
        case .done: return nil
        }
    }
}

/// Decides when to act on what came back: a link brings its addresses and routes along, and a host that starts containers
/// changes its network all the time.
struct ReturnPace {
    /// The time within which changes are acted on together.
    static let gathering = TimeAmount.milliseconds(50)
    /// Devices are dialled anew by this no more often; the last change is never left out.
    static let interval = TimeAmount.seconds(1)

    private var last: NIODeadline?
    private var waiting: NetworkState.Return?

    /// Takes what came back.
    /// - Returns: when to call ``act(at:)``; nil when that is settled already.
    mutating func noted(_ change: NetworkState.Return, at now: NIODeadline) -> NIODeadline? {
        let isSettled = self.waiting != nil
        if self.waiting != .link { self.waiting = change }
        guard !isSettled else { return nil }
        let soon = now + Self.gathering
        return self.last.map { max(soon, $0 + Self.interval) } ?? soon
    }

    /// Takes what is to be acted on now.
    mutating func act(at now: NIODeadline) -> NetworkState.Return? {
        defer { self.waiting = nil }
        if self.waiting != nil { self.last = now }
        return self.waiting
    }
}
