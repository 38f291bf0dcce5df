import GatewayOperations
import Synchronization
import VirtualDevices

/// The guests that there are now, for what decides on each connection of a sender: it is asked on event loops, and waits for no disk.
///
/// A guest whose time is over has no right from that second on, whenever the guest is taken out.
package final class GuestTable: SenderRights {
    private struct Entry {
        let guest: Guest
        var sessions: Set<GuestSession>
    }

    private struct State {
        var guests: [String: Entry] = [:]
        var byAddress: [String: Set<String>] = [:]
    }

    private let state = Mutex(State())
    private let wallClock: @Sendable () -> Int64
    /// Keeps that a guest has joined an app; called on event loops, and must not block.
    private let keep: @Sendable (_ session: GuestSession, _ guest: String) -> Void

    /// - Parameters:
    ///   - wallClock: seconds since 1970.
    ///   - keep: writes down that a guest has joined an app; must not block.
    init(
        wallClock: @escaping @Sendable () -> Int64,
        keep: @escaping @Sendable (_ session: GuestSession, _ guest: String) -> Void
    ) {
        self.wallClock = wallClock
        self.keep = keep
    }

    private var now: UTCTime { UTCTime(seconds: self.wallClock()) }

    // MARK: Senders

    func mayConnect(_ address: String, to device: String) -> Bool {
        let now = self.now
        return self.state.withLock { state in
            Self.entries(of: address, in: state).contains {
                !$0.guest.isOver(at: now) && $0.guest.mayUse(device: device)
            }
        }
    }

    func joined(_ session: String, on device: String, from address: String) {
        let joined = GuestSession(device: device, session: session)
        let now = self.now
        let changed = self.state.withLock { state in
            var changed: [String] = []
            for id in state.byAddress[address] ?? [] {
                guard var entry = state.guests[id], entry.guest.mayUse(device: device), !entry.guest.isOver(at: now),
                    !entry.sessions.contains(joined)
                else { continue }
                // Apps of before on the device have ended, or nearly: it runs one at a time.
                if entry.sessions.count >= JoinStore.maximumSessions {
                    entry.sessions = entry.sessions.filter { $0.device != device }
                }
                if entry.sessions.count >= JoinStore.maximumSessions { entry.sessions.removeAll() }
                entry.sessions.insert(joined)
                state.guests[id] = entry
                changed.append(id)
            }
            return changed
        }
        for id in changed { self.keep(joined, id) }
    }

    // MARK: Guests come and go

    /// The guests, the oldest first.
    var all: [Guest] {
        self.state.withLock { $0.guests.values.map(\.guest) }
            .sorted { ($0.joined.seconds, $0.id) < ($1.joined.seconds, $1.id) }
    }

    /// Those whose time is over.
    func over(at now: UTCTime) -> [Guest] {
        self.state.withLock { $0.guests.values.map(\.guest).filter { $0.isOver(at: now) } }
    }

    /// How many there are.
    var count: Int { self.state.withLock { $0.guests.count } }

    /// When the next guest's time is over; nil when there is none.
    var nextEnd: UTCTime? { self.state.withLock { $0.guests.values.map(\.guest.expires).min() } }

    subscript(id: String) -> Guest? { self.state.withLock { $0.guests[id]?.guest } }

    func guest(of code: String, at address: String) -> Guest? {
        self.state.withLock { Self.entries(of: address, in: $0).first { $0.guest.code == code }?.guest }
    }

    /// The guest who has a token; nil for a token that is no guest's.
    func guest(withToken token: String) -> Guest? {
        self.state.withLock { $0.guests.values.first { $0.guest.token == token }?.guest }
    }

    /// Adds a guest.
    func insert(_ guest: Guest, sessions: Set<GuestSession> = []) {
        self.state.withLock { state in
            state.guests[guest.id] = Entry(guest: guest, sessions: sessions)
            if let address = guest.address { state.byAddress[address, default: []].insert(guest.id) }
        }
    }

    /// Takes a guest out: from now on the guest has no right.
    /// - Returns: the apps that the guest has joined; nil when there is no such guest.
    func remove(_ id: String) -> Set<GuestSession>? {
        self.state.withLock { state in
            guard let entry = state.guests.removeValue(forKey: id) else { return nil }
            if let address = entry.guest.address {
                state.byAddress[address]?.remove(id)
                if state.byAddress[address]?.isEmpty == true { state.byAddress[address] = nil }
            }
            return entry.sessions
        }
    }

    private static func entries(of address: String, in state: State) -> [Entry] {
        (state.byAddress[address] ?? []).compactMap { state.guests[$0] }
    }
}
