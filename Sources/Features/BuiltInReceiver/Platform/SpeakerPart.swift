/// The part of one receiver in the gateway's speaker groups: a group, a member that plays what its group plays, or
/// neither.
struct SpeakerPart: Sendable {
    /// The last view.
    private(set) var view = GroupView()
    /// The session of a group that is on the screen of this member; nil while none is.
    private(set) var followed: String?
    /// The sessions of groups that this member plays no more, since something else was launched or stopped here.
    private var left: Set<String> = []

    /// True if the app that runs is a group's.
    var follows: Bool { self.followed != nil }

    var isGroup: Bool { self.view.members != nil }

    /// True if the device is a group whose volume is that of its members.
    var hasMembers: Bool { self.view.members?.isEmpty == false }

    /// The speakers that a multizone status lists: of a group its members, of a member those of the group that it plays.
    var devices: [SpeakerState] {
        if let members = self.view.members { return members }
        return self.view.playing.first { $0.session.id == self.followed }?.members ?? []
    }

    /// The group that this member plays.
    var playing: GroupView.Playing? { self.view.playing.first { $0.session.id == self.followed } }

    /// The session of a group that belongs on the screen of this member: the one that was started last, of those that it has not left.
    var wanted: GroupView.Playing? {
        self.view.playing.filter { !self.left.contains($0.session.id) }.max { $0.order < $1.order }
    }

    mutating func see(_ view: GroupView) {
        self.view = view
        self.view.order = nil
        self.left.formIntersection(view.playing.map(\.session.id))
    }

    /// Notes that the session of a group is on the screen.
    mutating func join(_ session: String) {
        self.followed = session
        self.left.remove(session)
    }

    /// Notes that what is on the screen ends; a session of a group that runs on is not joined again.
    mutating func leaveGroup() {
        guard self.followed != nil else { return }
        self.followed = nil
        self.left.formUnion(self.view.playing.map(\.session.id))
    }

    /// Notes a volume that this group has asked of a member, before the member says so itself.
    mutating func note(_ order: VolumeOrder, of member: Int) {
        if let level = order.level { self.view.members?[member].level = level }
        if let isMuted = order.isMuted { self.view.members?[member].isMuted = isMuted }
    }
}
