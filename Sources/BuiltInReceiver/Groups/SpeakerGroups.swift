import Synchronization

/// The speaker groups of a gateway: by this its built-in receivers, which live on different event loops, know of one another.
///
/// A receiver says how it is, and is called on its own event loop when it has to look what has changed. However often others
/// change, a receiver that has not looked yet is called once.
public final class SpeakerGroups: Sendable {
    /// A member came or went.
    public struct Change: Hashable, Sendable {
        /// The group's name in `gateway.yaml`.
        public let group: String
        /// The member's name in `gateway.yaml`.
        public let member: String
        /// Whether it is a member now.
        public let isMember: Bool
    }

    /// A member of a group.
    public struct Member: Hashable, Sendable {
        /// The name in `gateway.yaml`.
        public let device: String
        /// The UUID with dashes; nil while the device does not run.
        public let deviceID: String?
        /// Its volume, 0 to 1; nil while the device does not run.
        public let level: Double?
        /// Whether it is muted; nil while the device does not run.
        public let isMuted: Bool?
    }

    /// Why the members of a group cannot be changed so.
    public enum Refusal: Error, Hashable, Sendable {
        /// The device is no group, or does not run.
        case noGroup
        /// What was to be added does not run, or a real device stands behind it.
        case notLocal(String)
        /// What was to be added is a group.
        case isGroup(String)
        /// What was to be removed is no member.
        case noMember(String)
        /// The group would have no members.
        case noneLeft
        /// The group would have more than 16 members.
        case tooMany
    }

    private struct State {
        var book = SpeakerGroupBook()
        var calls: [String: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())
    private let changed: @Sendable (Change) -> Void

    /// Makes groups without devices.
    /// - Parameter changed: told when a member comes or goes while the gateway runs.
    public init(_ changed: @escaping @Sendable (Change) -> Void = { _ in }) {
        self.changed = changed
    }

    // MARK: For callers

    /// The members of a group, in their order; nil when the device is no group, or does not run.
    public func members(of group: String) -> [Member]? {
        self.state.withLock { $0.book.members(of: group) }
    }

    /// Adds members to a group and removes some. It holds until the file says something else of the group's members, or the gateway
    /// ends.
    /// - Throws: ``Refusal``; nothing has changed then.
    public func change(
        _ group: String, adding added: [String], removing removed: [String]
    ) throws(Refusal) -> [Member] {
        let result = self.update { book -> (called: [String], Result<[Change], Refusal>) in
            do throws(Refusal) {
                let (called, changes) = try book.change(group, adding: added, removing: removed)
                return (called, .success(changes))
            } catch {
                return ([], .failure(error))
            }
        }
        for change in try result.get() { self.changed(change) }
        return self.members(of: group) ?? []
    }

    // MARK: For receivers

    /// Gives a device a seat.
    /// - Parameter call: has the device look, later and on its own event loop.
    func enter(_ state: SpeakerState, members: [String]?, call: @escaping @Sendable () -> Void) -> Int {
        self.state.withLock { $0.calls[state.device] = call }
        return self.update { book in
            let (seat, called) = book.enter(state, members: members)
            return (called, seat)
        }
    }

    /// Takes the seat from a device that ends.
    func leave(_ device: String, _ seat: Int) {
        self.update { book in (book.leave(device, seat), ()) }
        // What was called for the last time finds nothing to look at.
        self.state.withLock { if !$0.book.hasSeat(device) { $0.calls[device] = nil } }
    }

    /// Takes what the file says of a device from now on.
    func reconfigure(_ device: String, _ seat: Int, members: [String]?) {
        let changes = self.update { $0.reconfigure(device, seat, members: members) }
        for change in changes { self.changed(change) }
    }

    /// Takes how a device is.
    func report(_ state: SpeakerState, _ seat: Int) {
        self.update { book in (book.report(state, seat), ()) }
    }

    /// What a device sees that was called.
    func look(_ device: String, _ seat: Int) -> GroupView {
        self.state.withLock { $0.book.look(device, seat) }
    }

    /// Changes the volume of a whole group.
    func change(_ order: VolumeOrder, ofGroup group: String) {
        self.update { book in (book.change(order, ofGroup: group), ()) }
    }

    /// Changes the volume of one member of a group.
    func change(_ order: VolumeOrder, of member: String, in group: String) {
        self.update { book in (book.change(order, of: member, in: group), ()) }
    }

    /// Changes the book, and calls those who have to look.
    @discardableResult
    private func update<Value: Sendable>(
        _ body: @Sendable (inout SpeakerGroupBook) -> (called: [String], Value)
    ) -> Value {
        let (calls, value) = self.state.withLock { state in
            let (called, value) = body(&state.book)
            return (called.compactMap { state.calls[$0] }, value)
        }
        for call in calls { call() }
        return value
    }
}
