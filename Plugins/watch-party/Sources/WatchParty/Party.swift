import PluginKit

/// Devices that play the same, kept in step: what someone does on one is done on the others.
///
/// It knows neither the gateway nor a clock: statuses and moments come in, commands go out.
///
/// A state that a device was told to take is no viewer's wish, so nothing echoes. Neither is waiting for data: who
/// falls behind by that is brought after the others, but not again and again.
struct Party {
    /// A device that fell behind is brought after the others so often at most.
    static let correctionInterval = Duration.seconds(15)
    /// No device is thought to take longer to seek, in seconds.
    static let longestLead = 10.0

    let name: String
    let devices: Set<String>
    /// How far apart two may be, in seconds.
    let tolerance: Double
    /// How long a device may take to do what it is told.
    let settle: Duration
    private(set) var members: [String: PartyMember] = [:]
    /// How the party plays, by the id of what it plays.
    private(set) var references: [String: Playback] = [:]
    /// Who was sent somewhere by a viewer and waits for data there: the others go by where it goes on.
    private var leaders: [String: String] = [:]

    init(_ party: PartySettings.Party, tolerance: Double, settle: Duration) {
        self.name = party.name
        self.devices = Set(party.devices)
        self.tolerance = tolerance
        self.settle = settle
    }

    // MARK: What devices say

    /// A device says how things stand.
    /// - Returns: what is to be done, on it and on the others.
    mutating func hear(
        _ status: MediaStatus, from device: String, session: String?, now: PluginInstant
    ) -> [PartyCommand] {
        let known = self.members[device]
        guard var member = PartyMember(status, session: session, after: known, now: now) else {
            self.leave(device)
            return []
        }
        if let known, !known.isSameLoad(as: member) { self.leave(device) }
        defer { self.members[device] = member }
        let content = member.content
        guard let reference = self.references[content] else {
            if !member.isBuffering { self.references[content] = member.playback }
            return []
        }
        guard let known, known.isSameLoad(as: member) else {
            // Who comes late goes by the others, whatever it began with.
            return member.isBuffering ? [] : self.bring(device, &member, to: reference, now: now)
        }
        if let order = known.order, now < order.due, self.follows(&member, order, known, now) { return [] }
        member.order = nil
        if self.isWish(member, after: known, now) {
            self.references[content] = member.playback
            self.leaders[content] = member.isBuffering ? device : nil
            return self.follow(member.playback, of: content, except: device, now: now)
        }
        guard !member.isBuffering else { return [] }
        if self.leaders[content] == device {
            self.leaders[content] = nil
            self.references[content] = member.playback
            return self.follow(member.playback, of: content, except: device, now: now)
        }
        guard member.rest.map({ now >= $0 }) ?? true else { return [] }
        return self.bring(device, &member, to: reference, now: now)
    }

    /// A device plays nothing any more that is known.
    mutating func leave(_ device: String) {
        guard let member = self.members.removeValue(forKey: device) else { return }
        if self.leaders[member.content] == device { self.leaders[member.content] = nil }
        if !self.members.values.contains(where: { $0.content == member.content }) {
            self.references[member.content] = nil
        }
    }

    // MARK: Wishes

    /// True when a viewer did something on a device: it changed its state, or is not where it should be.
    private func isWish(_ member: PartyMember, after known: PartyMember, _ now: PluginInstant) -> Bool {
        if member.playback.isPlaying != known.playback.isPlaying { return true }
        return abs(member.playback.position - known.position(at: now)) > self.tolerance
    }

    /// True when what a device says comes of an order: it does what it was told, or has not come to it yet.
    private func follows(
        _ member: inout PartyMember, _ order: PartyMember.Order, _ known: PartyMember, _ now: PluginInstant
    ) -> Bool {
        let position = member.playback.position
        let goal = order.target.position(at: now)
        let isThere =
            if let seek = order.seek {
                position >= min(seek, goal) - self.tolerance && position <= max(seek, goal) + self.tolerance
            } else {
                abs(position - goal) <= self.tolerance
            }
        let isAsTold = member.playback.isPlaying == order.target.isPlaying
        if isThere, isAsTold, !member.isBuffering {
            member.order = nil
            if order.seek != nil, order.target.isPlaying {
                member.lead = min(max(0, known.lead + goal - position), Self.longestLead)
            }
            return true
        }
        let isAsBefore = member.playback.isPlaying == known.playback.isPlaying
        let isWhereItWas = abs(position - known.position(at: now)) <= self.tolerance
        return (isAsTold || isAsBefore) && (isThere || isWhereItWas)
    }

    // MARK: Commands

    private mutating func follow(
        _ reference: Playback, of content: String, except leader: String, now: PluginInstant
    ) -> [PartyCommand] {
        var commands: [PartyCommand] = []
        for device in self.members.keys.sorted() where device != leader {
            guard var member = self.members[device], member.content == content else { continue }
            commands += self.bring(device, &member, to: reference, now: now)
            self.members[device] = member
        }
        return commands
    }

    /// Tells a device what it lacks to be in step, if anything.
    private func bring(
        _ device: String, _ member: inout PartyMember, to reference: Playback, now: PluginInstant
    ) -> [PartyCommand] {
        let goal = reference.position(at: now)
        if let order = member.order, now < order.due, order.target.isPlaying == reference.isPlaying,
            abs(order.target.position(at: now) - goal) <= self.tolerance
        {
            // It was told as much, and is about to do it.
            member.order?.target = reference
            return []
        }
        let isThere = abs(member.position(at: now) - goal) <= self.tolerance || !member.canSeek
        let isAsTold = member.playback.isPlaying == reference.isPlaying || !member.canPause
        let action: PartyCommand.Action
        var seek: Double?
        switch (isThere, isAsTold) {
        case (true, true):
            member.order = nil
            return []
        case (true, false): action = reference.isPlaying ? .play : .pause
        case (false, _):
            let place = goal + (reference.isPlaying ? member.lead : 0)
            seek = place
            action = .seek(place, plays: reference.isPlaying)
        }
        member.order = PartyMember.Order(target: reference, seek: seek, due: now.advanced(by: self.settle))
        member.rest = now.advanced(by: Self.correctionInterval)
        return [
            PartyCommand(device: device, session: member.session, mediaSession: member.mediaSession, action: action)
        ]
    }
}
