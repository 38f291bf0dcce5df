package import NIOCore

/// The one place where it is decided whether a connection may stay, whatever the listener.
///
/// Each ``ListenerKind`` is counted by itself: a flood of one kind leaves the others what is theirs.
package final class Admission: Sendable {
    /// The address may not connect, whatever the limits say.
    package struct NotAllowed: Error, CustomStringConvertible {
        /// What the log says.
        package let description: String

        /// - Parameter description: why the address may not connect, in a few words.
        package init(_ description: String) {
            self.description = description
        }
    }

    /// Even to turn a connection away is work, some tens of microseconds; this many a second are a few hundredths of a
    /// processor.
    private static let acceptsPerSecond = 1000

    private let senders: ConnectionLimiter
    private let setup: ConnectionLimiter
    private let admin: ConnectionLimiter
    private let api: ConnectionLimiter
    private let metrics: ConnectionLimiter
    private let guests: ConnectionLimiter
    private let budget: PeerBudget?

    /// Sets the limits of each kind; without any the API takes one connection.
    /// - Parameter budget: what all of them may make the gateway keep; nil for no limit.
    package init(
        senders: ConnectionLimits, setup: ConnectionLimits, admin: ConnectionLimits,
        api: ConnectionLimits = ConnectionLimits(total: 1, perAddress: 1),
        metrics: ConnectionLimits = ConnectionLimits(total: 16, perAddress: 16),
        guests: ConnectionLimits = ConnectionLimits(total: 16, perAddress: 16), budget: PeerBudget? = nil
    ) {
        func limiter(_ kind: ListenerKind, _ limits: ConnectionLimits) -> ConnectionLimiter {
            ConnectionLimiter(limits.within(budget, as: kind))
        }
        self.budget = budget
        self.guests = limiter(.guests, guests)
        self.metrics = limiter(.metrics, metrics)
        self.senders = limiter(.senders, senders)
        self.setup = limiter(.setup, setup)
        self.admin = limiter(.admin, admin)
        self.api = limiter(.api, api)
    }

    /// Decides on a connection that came in.
    /// - Parameters:
    ///   - address: whose it is, without the port; one text for all who come by a socket of the file system.
    ///   - kind: what the listener is for.
    ///   - bytes: what it makes the gateway keep from now until its end: one of ``PeerCost``.
    ///   - obstacle: why the address may not connect at all; nil when it may.
    ///   - now: when it came.
    ///   - evict: ends the connection at once, should it have to give way; called at most once, on any thread.
    /// - Returns: what must be told how the connection gets on.
    /// - Throws: ``NotAllowed`` or ``ConnectionLimiter/Refusal``.
    package func admit(
        _ address: String, to kind: ListenerKind, bytes: Int = 0, obstacle: String? = nil, at now: NIODeadline,
        evict: @escaping @Sendable () -> Void
    ) throws -> ConnectionAdmission {
        if let obstacle { throw NotAllowed(obstacle) }
        return try self.limiter(kind).admit(address, bytes: bytes, at: now, evict: evict)
    }

    /// Changes the limits of a kind for connections to come; none is closed.
    package func limit(_ kind: ListenerKind, to limits: ConnectionLimits, at now: NIODeadline) {
        self.limiter(kind).limit(limits.within(self.budget, as: kind), at: now)
    }

    /// How many connections of a kind there are now, those too whose TLS does not stand yet.
    package func count(of kind: ListenerKind) -> Int { self.limiter(kind).count }

    /// How many bytes the connections of a kind make the gateway keep now.
    package func bytes(of kind: ListenerKind) -> Int { self.limiter(kind).bytes }

    /// How many connections one listener may accept in a second, be they admitted or not; nil for no limit.
    package func acceptsPerSecond(_ kind: ListenerKind) -> Int? {
        let rate = self.limiter(kind).newPerSecond
        // Only users of this machine reach the admin listener; they are many connections of one address.
        guard let rate else { return kind == .senders ? nil : Self.acceptsPerSecond }
        return max(Self.acceptsPerSecond, rate * 2)
    }

    /// Why a connection was turned away, for the log and events.
    package static func reason(of refusal: any Error) -> String {
        (refusal as? ConnectionLimiter.Refusal)?.rawValue ?? "\(refusal)"
    }

    private func limiter(_ kind: ListenerKind) -> ConnectionLimiter {
        switch kind {
        case .senders: self.senders
        case .setup: self.setup
        case .admin: self.admin
        case .api: self.api
        case .metrics: self.metrics
        case .guests: self.guests
        }
    }
}

extension ConnectionLimits {
    /// The same within a budget.
    fileprivate func within(_ budget: PeerBudget?, as kind: ListenerKind) -> ConnectionLimits {
        var limits = self
        guard let budget else { return limits }
        let share = budget.share(of: kind.part)
        limits.bytes = share
        // An address that may have many connections, such as a proxy's, may have what they cost.
        let connections = self.perAddress.multipliedReportingOverflow(by: PeerCost.connection(of: kind))
        let needed = connections.overflow ? share : connections.partialValue / 4 * 5
        limits.bytesPerAddress = min(share, max(budget.addressShare(of: kind.part), needed))
        return limits
    }
}

/// What a listener is for. Each kind has limits and counts of its own, so that none can use up what another needs.
package enum ListenerKind: String, Sendable, Hashable, CaseIterable {
    /// Cast channels.
    case senders
    /// HTTP and HTTPS of the set-up service.
    case setup
    /// HTTP of the admin listener.
    case admin
    /// HTTP and HTTPS of the API.
    case api
    /// HTTP of the metrics listener.
    case metrics
    /// HTTP and HTTPS of the page on which guests redeem join codes.
    case guests
}

/// How many connections listeners of one kind take.
package struct ConnectionLimits: Sendable, Hashable {
    /// In all, at least 1.
    package var total: Int
    /// From one address, at least 1.
    package var perAddress: Int
    /// New ones a second from one address, twice as many at once; nil for no limit.
    package var newPerSecond: Int?
    /// From one address without anything whole, or without a caller that is known, at least 1: the oldest of them goes for the next. Nil
    /// turns the next away, beyond half of `perAddress`.
    package var unfinishedPerAddress: Int?
    /// How many bytes they may make the gateway keep in all; nil for no limit.
    package var bytes: Int?
    /// How many of these one address may; nil for no limit.
    package var bytesPerAddress: Int?

    /// Makes limits, without one of bytes.
    package init(total: Int, perAddress: Int, newPerSecond: Int? = nil, unfinishedPerAddress: Int? = nil) {
        self.total = total
        self.perAddress = perAddress
        self.newPerSecond = newPerSecond
        self.unfinishedPerAddress = unfinishedPerAddress
    }
}
