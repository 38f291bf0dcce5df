public import NIOCore

/// The one place where it is decided whether a connection may stay, whatever the listener.
///
/// Each ``ListenerKind`` is counted by itself: a flood of one kind leaves the others what is theirs.
public final class Admission: Sendable {
    /// The address may not connect, whatever the limits say.
    public struct NotAllowed: Error, CustomStringConvertible {
        /// What the log says.
        public let description: String

        /// - Parameter description: why the address may not connect, in a few words.
        public init(_ description: String) {
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

    /// Sets the limits of each kind; without any the API takes one connection.
    public init(
        senders: ConnectionLimits, setup: ConnectionLimits, admin: ConnectionLimits,
        api: ConnectionLimits = ConnectionLimits(total: 1, perAddress: 1),
        metrics: ConnectionLimits = ConnectionLimits(total: 16, perAddress: 16),
        guests: ConnectionLimits = ConnectionLimits(total: 16, perAddress: 16)
    ) {
        self.guests = ConnectionLimiter(guests)
        self.metrics = ConnectionLimiter(metrics)
        self.senders = ConnectionLimiter(senders)
        self.setup = ConnectionLimiter(setup)
        self.admin = ConnectionLimiter(admin)
        self.api = ConnectionLimiter(api)
    }

    /// Decides on a connection that came in.
    /// - Parameters:
    ///   - address: whose it is, without the port; one text for all who come by a socket of the file system.
    ///   - kind: what the listener is for.
    ///   - obstacle: why the address may not connect at all; nil when it may.
    ///   - now: when it came.
    ///   - evict: ends the connection, should it be the oldest of too many from which nothing whole has come; called at
    ///     most once, on any thread.
    /// - Returns: what must be told how the connection gets on.
    /// - Throws: ``NotAllowed`` or ``ConnectionLimiter/Refusal``.
    public func admit(
        _ address: String, to kind: ListenerKind, obstacle: String? = nil, at now: NIODeadline,
        evict: @escaping @Sendable () -> Void
    ) throws -> ConnectionAdmission {
        if let obstacle { throw NotAllowed(obstacle) }
        return try self.limiter(kind).admit(address, at: now, evict: evict)
    }

    /// Changes the limits of a kind for connections to come; none is closed.
    public func limit(_ kind: ListenerKind, to limits: ConnectionLimits, at now: NIODeadline) {
        self.limiter(kind).limit(
            total: limits.total, perAddress: limits.perAddress, newPerSecond: limits.newPerSecond,
            maximumUnfinished: limits.unfinishedPerAddress, at: now)
    }

    /// How many connections of a kind there are now, those too whose TLS does not stand yet.
    public func count(of kind: ListenerKind) -> Int { self.limiter(kind).count }

    /// How many connections one listener may accept in a second, be they admitted or not; nil for no limit.
    public func acceptsPerSecond(_ kind: ListenerKind) -> Int? {
        let rate = self.limiter(kind).newPerSecond
        // Only users of this machine reach the admin listener; they are many connections of one address.
        guard let rate else { return kind == .senders ? nil : Self.acceptsPerSecond }
        return max(Self.acceptsPerSecond, rate * 2)
    }

    /// Why a connection was turned away, for the log and events.
    public static func reason(of refusal: any Error) -> String {
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

extension ConnectionLimiter {
    convenience init(_ limits: ConnectionLimits) {
        self.init(
            maximumTotal: limits.total, maximumPerAddress: limits.perAddress, newPerSecond: limits.newPerSecond,
            maximumUnfinished: limits.unfinishedPerAddress)
    }
}

/// What a listener is for. Each kind has limits and counts of its own, so that none can use up what another needs.
public enum ListenerKind: String, Sendable, Hashable, CaseIterable {
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
public struct ConnectionLimits: Sendable, Hashable {
    /// In all, at least 1.
    public var total: Int
    /// From one address, at least 1.
    public var perAddress: Int
    /// New ones a second from one address, twice as many at once; nil for no limit.
    public var newPerSecond: Int?
    /// From one address without anything whole, or without a caller that is known, at least 1: the oldest of them goes for the next. Nil
    /// turns the next away, beyond half of `perAddress`.
    public var unfinishedPerAddress: Int?

    /// Makes limits.
    public init(total: Int, perAddress: Int, newPerSecond: Int? = nil, unfinishedPerAddress: Int? = nil) {
        self.total = total
        self.perAddress = perAddress
        self.newPerSecond = newPerSecond
        self.unfinishedPerAddress = unfinishedPerAddress
    }
}
