import CastWire

/// The speaker groups and the states of their devices: what happens goes in, the devices that have to look come out.
///
/// Every built-in receiver has a seat while it runs. Devices are named as in `gateway.yaml`; a member without a seat is in the
/// group, and is shown to no sender.
struct SpeakerGroupTable: Sendable {
    private struct Seat {
        let number: Int
        var state: SpeakerState
        /// The place of the session of a group among all that groups have started.
        var sessionOrder = 0
        var order: VolumeOrder?
        /// True if it was told to look, and has not looked yet.
        var isCalled = false
    }

    private struct Group {
        var written: [String]
        var members: [String]
    }

    private var seats: [String: Seat] = [:]
    private var groups: [String: Group] = [:]
    private var lastSeat = 0
    private var lastSession = 0

    // MARK: Seats

    /// Gives a device a seat; one of the same name, which it replaces, has none any more.
    /// - Parameter members: of a group, as written in the file; nil for a speaker.
    /// - Returns: the seat's number, and who has to look.
    mutating func enter(_ state: SpeakerState, members: [String]?) -> (seat: Int, called: [String]) {
        let before = self.around(state.device)
        self.lastSeat += 1
        var seat = Seat(number: self.lastSeat, state: state)
        seat.sessionOrder = self.order(of: state.session, after: nil, 0)
        self.seats[state.device] = seat
        self.groups[state.device] = members.map { Group(written: $0, members: $0) }
        return (seat.number, self.call(before.union(self.around(state.device)).union([state.device])))
    }

    /// Takes the seat from a device that ends.
    mutating func leave(_ device: String, _ seat: Int) -> [String] {
        guard self.seats[device]?.number == seat else { return [] }
        let around = self.around(device)
        self.seats[device] = nil
        self.groups[device] = nil
        return self.call(around)
    }

    /// True if a device of the name runs.
    func hasSeat(_ device: String) -> Bool { self.seats[device] != nil }

    /// Takes what the file says of a device from now on. What was changed at run time stays as long as the file says the same.
    /// - Returns: who has to look, and who came and went.
    mutating func reconfigure(
        _ device: String, _ seat: Int, members: [String]?
    ) -> (called: [String], changes: [SpeakerGroups.Change]) {
        guard self.seats[device]?.number == seat, self.groups[device]?.written != members else { return ([], []) }
        let old = self.groups[device]?.members ?? []
        let before = self.around(device)
        self.groups[device] = members.map { Group(written: $0, members: $0) }
        let called = self.call(before.union(self.around(device)).union([device]))
        return (called, Self.changes(of: device, from: old, to: members ?? []))
    }

    /// Takes how a device is. A volume that was asked of it and that it does not know yet stays.
    mutating func report(_ state: SpeakerState, _ number: Int) -> [String] {
        guard var seat = self.seats[state.device], seat.number == number else { return [] }
        var state = state
        if let order = seat.order {
            if order.level != nil { state.level = seat.state.level }
            if order.isMuted != nil { state.isMuted = seat.state.isMuted }
        }
        guard state != seat.state else { return [] }
        seat.sessionOrder = self.order(of: state.session, after: seat.state.session, seat.sessionOrder)
        seat.state = state
        self.seats[state.device] = seat
        return self.call(self.around(state.device))
    }

    private mutating func order(of session: GroupSession?, after old: GroupSession?, _ order: Int) -> Int {
        guard let session, session.id != old?.id else { return order }
        self.lastSession += 1
        return self.lastSession
    }

    /// The view of a device that was called.
    mutating func look(_ device: String, _ number: Int) -> GroupView {
        guard let seat = self.seats[device], seat.number == number else { return GroupView() }
        self.seats[device]?.isCalled = false
        self.seats[device]?.order = nil
        if self.groups[device] != nil { return GroupView(members: self.present(in: device), order: seat.order) }
        let playing = self.groups.keys.sorted().compactMap { name -> GroupView.Playing? in
            guard self.groups[name]?.members.contains(device) == true, let group = self.seats[name],
                let session = group.state.session
            else { return nil }
            return GroupView.Playing(
                group: group.state, session: session, order: group.sessionOrder, members: self.present(in: name))
        }
        return GroupView(members: nil, playing: playing, order: seat.order)
    }

    private func present(in group: String) -> [SpeakerState] {
        (self.groups[group]?.members ?? []).compactMap { self.seats[$0]?.state }
    }

    /// The devices that see something else when a device changes: of a group its members, of a speaker its groups and their
    /// members.
    private func around(_ device: String) -> Set<String> {
        if let group = self.groups[device] { return Set(group.members) }
        return self.groups.reduce(into: []) { names, group in
            guard group.value.members.contains(device) else { return }
            names.insert(group.key)
            names.formUnion(group.value.members)
        }
    }

    /// Returns the devices that have a seat and were not called already.
    private mutating func call(_ devices: Set<String>) -> [String] {
        let called = devices.filter { self.seats[$0]?.isCalled == false }.sorted()
        for device in called { self.seats[device]?.isCalled = true }
        return called
    }

    // MARK: Volume

    /// Changes the volume of a whole group, and so of each member whose volume can be changed.
    mutating func change(_ order: VolumeOrder, ofGroup group: String) -> [String] {
        let members = self.present(in: group).filter { !$0.isFixed }
        let levels = order.level.map { GroupVolume.scaled(members.map(\.level), to: $0) }
        var called: Set<String> = []
        for (index, member) in members.enumerated() {
            called.formUnion(self.note(VolumeOrder(level: levels?[index], isMuted: order.isMuted), of: member.device))
        }
        return self.call(called)
    }

    mutating func change(_ order: VolumeOrder, of member: String, in group: String) -> [String] {
        guard self.groups[group]?.members.contains(member) == true else { return [] }
        return self.call(self.note(order, of: member))
    }

    private mutating func note(_ order: VolumeOrder, of device: String) -> Set<String> {
        guard var seat = self.seats[device], !seat.state.isFixed else { return [] }
        seat.order = VolumeOrder(
            level: order.level ?? seat.order?.level, isMuted: order.isMuted ?? seat.order?.isMuted)
        if let level = order.level { seat.state.level = level }
        if let isMuted = order.isMuted { seat.state.isMuted = isMuted }
        self.seats[device] = seat
        return self.around(device).union([device])
    }

    // MARK: Members

    /// The members of a group, with how those are that are there; nil when the device is no group that runs.
    func members(of group: String) -> [SpeakerGroups.Member]? {
        self.groups[group]?.members.map { name in
            let state = self.seats[name]?.state
            return SpeakerGroups.Member(
                device: name, deviceID: state?.deviceID, level: state.map { Double($0.level).shortest },
                isMuted: state?.isMuted)
        }
    }

    /// Changes who is in a group until the file says something else, or the gateway ends.
    /// - Returns: who has to look, and who came and went.
    /// - Throws: ``SpeakerGroups/Refusal``; nothing has changed then.
    mutating func change(
        _ group: String, adding added: [String], removing removed: [String]
    ) throws(SpeakerGroups.Refusal) -> (called: [String], changes: [SpeakerGroups.Change]) {
        guard let old = self.groups[group]?.members else { throw .noGroup }
        for name in added {
            guard self.seats[name] != nil else { throw .notLocal(name) }
            guard self.groups[name] == nil else { throw .isGroup(name) }
        }
        for name in removed where !old.contains(name) { throw .noMember(name) }
        var new = old.filter { !removed.contains($0) }
        for name in added where !new.contains(name) { new.append(name) }
        guard !new.isEmpty else { throw .noneLeft }
        guard new.count <= SpeakerGroupConfiguration.maximumMembers else { throw .tooMany }
        self.groups[group]?.members = new
        let called = self.call(Set(old).union(new).union([group]))
        return (called, Self.changes(of: group, from: old, to: new))
    }

    private static func changes(
        of group: String, from old: [String], to new: [String]
    ) -> [SpeakerGroups.Change] {
        old.filter { !new.contains($0) }.map { SpeakerGroups.Change(group: group, member: $0, isMember: false) }
            + new.filter { !old.contains($0) }.map { SpeakerGroups.Change(group: group, member: $0, isMember: true) }
    }
}
