/// A receiver's place among the gateway's speaker groups, which tells the others only what is new of it.
///
/// Lives on the receiver's event loop.
final class SpeakerSeat {
    private let groups: SpeakerGroups
    private let device: String
    private var number = 0
    private var told: SpeakerState
    private var members: [String]?

    /// - Parameter device: the device's name in `gateway.yaml`.
    init(_ groups: SpeakerGroups, device: String) {
        self.groups = groups
        self.device = device
        self.told = SpeakerState(device: device)
    }

    /// Takes the seat.
    /// - Parameter call: has the receiver look, later and on its event loop.
    func take(_ platform: ReceiverPlatform, call: @escaping @Sendable () -> Void) {
        self.members = platform.configuration.group?.members
        self.told = platform.speakerState(of: self.device, isGroup: self.members != nil)
        self.number = self.groups.enter(self.told, members: self.members, call: call)
    }

    func leave() { self.groups.leave(self.device, self.number) }

    func reconfigure(_ platform: ReceiverPlatform) {
        self.members = platform.configuration.group?.members
        self.groups.reconfigure(self.device, self.number, members: self.members)
        self.tell(platform.speakerState(of: self.device, isGroup: self.members != nil))
    }

    /// Says what has changed: the volume, and of a group what runs.
    func report(_ platform: ReceiverPlatform) {
        var state = self.told
        platform.updateVolume(of: &state)
        if self.members != nil { state.session = platform.groupSession }
        self.tell(state)
    }

    private func tell(_ state: SpeakerState) {
        guard state != self.told else { return }
        self.told = state
        self.groups.report(state, self.number)
    }

    /// The receiver's view now.
    func look() -> GroupView { self.groups.look(self.device, self.number) }

    /// Has the members of this group change their volume, or one of them.
    func change(_ order: VolumeOrder, only member: String?) {
        if let member {
            self.groups.change(order, of: member, in: self.device)
        } else {
            self.groups.change(order, ofGroup: self.device)
        }
    }
}
