/// A key of a keyboard or a remote control that is at the gateway's machine.
enum HostKey: String, Sendable, Hashable, CaseIterable {
    case volumeUp = "volume_up"
    case volumeDown = "volume_down"
    case mute
    case play
    case pause
    case playOrPause = "play_or_pause"
    case stop
    case next
    case previous

    /// The key of a code of `linux/input-event-codes.h`; nil for one that the gateway does nothing with.
    init?(code: UInt16) {
        switch code {
        case 113: self = .mute  // KEY_MUTE
        case 114: self = .volumeDown  // KEY_VOLUMEDOWN
        case 115: self = .volumeUp  // KEY_VOLUMEUP
        case 128, 166: self = .stop  // KEY_STOP, KEY_STOPCD
        case 163, 407: self = .next  // KEY_NEXTSONG, KEY_NEXT
        case 164: self = .playOrPause  // KEY_PLAYPAUSE
        case 165, 412: self = .previous  // KEY_PREVIOUSSONG, KEY_PREVIOUS
        case 200, 207: self = .play  // KEY_PLAYCD, KEY_PLAY
        case 201: self = .pause  // KEY_PAUSECD
        default: return nil
        }
    }

    /// Whether holding the key does it again and again, as often as the keyboard repeats it.
    var repeats: Bool { self == .volumeUp || self == .volumeDown }
}
