import Synchronization

/// The speaker groups of a gateway: by this its built-in receivers, which live on different event loops, know of one another.
///
/// A receiver says how it is, and is called on its own event loop when it has to look what has changed. However often others
/// change, a receiver that has not looked yet is called once.
package final class SpeakerGroups: Sendable {
    /// A member came or went.
    package struct Change: Hashable, Sendable {
        /// The group's name in `gateway.yaml`.
        package let group: String
        /// The member's name in `gateway.yaml`.
        package let member: String
        package let isMember: Bool
    }

    package struct Member: Hashable, Sendable {
        /// The name in `gateway.yaml`.
        package let device: String
        /// The UUID with dashes; nil while the device does not run.
        package let deviceID: String?
        /// Its volume, 0 to 1; nil while the device does not run.
        package let level: Double?
        /// Nil while the device does not run.
        package let isMuted: Bool?
    }

    /// The reason the members of a group cannot be changed so.
    package enum Refusal: Error, Hashable, Sendable {
        /// The device is no group, or does not run.
        case noGroup
        /// The added device does not run, or a real device stands behind it.
        case notLocal(String)
        /// The added device is a group.
        case isGroup(String)
        /// The removed device is no member.
        case noMember(String)
        case noneLeft
        /// The group would have more than 16 members.
        case tooMany
    }

    private struct State {
        var book = SpeakerGroupTable()
        var calls: [String: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())
    private let changed: @Sendable (Change) -> Void

    /// Makes groups without devices.
    /// - Parameter changed: told when a member comes or goes while the gateway runs.
    package init(_ changed: @escaping @Sendable (Change) -> Void = { _ in }) {
        self.changed = changed
    }

    // MARK: For callers

    /// The members of a group, in their order; nil when the device is no group, or does not run.
    package func members(of group: String) -> [Member]? {
        self.state.withLock { $0.book.members(of: group) }
    }

    /// Adds members to a group and removes some. It holds until the file says something else of the group's members, or the gateway
    /// ends.
    /// - Throws: ``Refusal``; nothing has changed then.
    package func change(
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

    func report(_ state: SpeakerState, _ seat: Int) {
        self.update { book in (book.report(state, seat), ()) }
    }

    /// The view of a device that was called.
    func look(_ device: String, _ seat: Int) -> GroupView {
        self.state.withLock { $0.book.look(device, seat) }
    }

    func change(_ order: VolumeOrder, ofGroup group: String) {
        self.update { book in (book.change(order, ofGroup: group), ()) }
    }

    func change(_ order: VolumeOrder, of member: String, in group: String) {
        self.update { book in (book.change(order, of: member, in: group), ()) }
    }

    /// Changes the book, and calls those who have to look.
    @discardableResult
    private func update<Value: Sendable>(
        _ body: @Sendable (inout SpeakerGroupTable) -> (called: [String], Value)
    ) -> Value {
        let (calls, value) = self.state.withLock { state in
            let (called, value) = body(&state.book)
            return (called.compactMap { state.calls[$0] }, value)
        }
        for call in calls { call() }
        return value
    }
}
