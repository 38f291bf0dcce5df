import CastWire

/// The state of one built-in receiver for other devices of the gateway, be it a speaker or a group.
struct SpeakerState: Hashable, Sendable {
    /// The device's name in `gateway.yaml`.
    let device: String
    /// Its UUID with dashes, in small letters.
    var deviceID = ""
    /// The name that senders show.
    var name = ""
    /// Its capability bits (protocol notes, 1.3).
    var capabilities = 0
    /// From 0 to 1.
    var level: Float = 0
    var isMuted = false
    var isFixed = false
    /// The app that a group runs; nil for speakers, and while the group runs none.
    var session: GroupSession?

    /// The state as an element of `devices` in MULTIZONE_STATUS (protocol notes, 5.8).
    var payload: MultizoneDevice {
        var volume = ReceiverVolume(level: Double(self.level))
        volume.muted = self.isMuted
        return MultizoneDevice(
            deviceID: self.deviceID, name: self.name, capabilities: self.capabilities, volume: volume)
    }

    /// A UUID as members of groups are named: 32 digits get their dashes, anything else stays.
    static func dashed(_ id: String) -> String {
        let digits = Array(id.lowercased())
        guard digits.count == 32, digits.allSatisfy(\.isHexDigit) else { return id.lowercased() }
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}

/// An app that a group runs, as its members show it.
struct GroupSession: Hashable, Sendable {
    let id: String
    var displayName: String
    /// The app's own description of what it does.
    var statusText: String
}

/// The volume that a group asks of a member; what is nil stays.
struct VolumeOrder: Hashable, Sendable {
    /// From 0 to 1.
    var level: Float?
    var isMuted: Bool?
}

/// The view that a built-in receiver has of the gateway's groups at one instant.
struct GroupView: Hashable, Sendable {
    /// A group that runs an app, seen from a member.
    struct Playing: Hashable, Sendable {
        var group: SpeakerState
        var session: GroupSession
        /// Grows with every app that any group starts.
        var order: Int
        /// The members that are there.
        var members: [SpeakerState]
    }

    /// For a group the members that are there, in their order; nil for a speaker.
    var members: [SpeakerState]?
    /// For a speaker the groups that it is in and that run an app, in the order of their names.
    var playing: [Playing] = []
    /// A volume that a group has asked for since the last view.
    var order: VolumeOrder?

    /// The volume of the group: the mean of the members whose volume can be changed, muted when all these are; all members
    /// when none can be changed. Nil without members.
    var volume: (level: Float, isMuted: Bool)? {
        guard let members, !members.isEmpty else { return nil }
        let changeable = members.filter { !$0.isFixed }
        let counted = changeable.isEmpty ? members : changeable
        return (GroupVolume.mean(of: counted.map(\.level)), counted.allSatisfy(\.isMuted))
    }

    /// True if no member's volume can be changed.
    var isVolumeFixed: Bool { self.members?.allSatisfy(\.isFixed) == true && self.members?.isEmpty == false }
}

/// The relation between the volume of a group and those of its members.
enum GroupVolume {
    /// The mean; 0 for none.
    static func mean(of levels: [Float]) -> Float {
        guard !levels.isEmpty else { return 0 }
        return Float(levels.reduce(0.0) { $0 + Double($1) } / Double(levels.count))
    }

    /// The members' levels after the mean has become another one: turned down, they keep their proportions and are silent
    /// together; turned up, they are at their loudest together. None leaves 0 to 1.
    /// - Parameters:
    ///   - levels: what they were, each 0 to 1.
    ///   - wanted: the new mean, 0 to 1.
    static func scaled(_ levels: [Float], to wanted: Float) -> [Float] {
        let mean = Double(Self.mean(of: levels))
        let wanted = Double(wanted)
        return levels.map { level in
            let level = Double(level)
            let new: Double
            if wanted <= mean {
                new = mean > 0 ? level * wanted / mean : wanted
            } else {
                new = mean < 1 ? 1 - (1 - level) * (1 - wanted) / (1 - mean) : wanted
            }
            return Float(min(max(new, 0), 1))
        }
    }
}
