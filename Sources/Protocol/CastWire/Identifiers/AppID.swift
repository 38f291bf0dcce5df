/// The id of a receiver app, such as `CC1AD845` (protocol notes, 5.7).
public struct AppID: RawRepresentable, Hashable, Sendable, FieldValue, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The id as it stands on the wire; nothing is checked.
    public let rawValue: String

    /// Makes an id from its wire text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes an id from a literal.
    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    /// The id's wire text.
    public var description: String { self.rawValue }

    /// What ``isValid`` asks, as a regular expression.
    public static let pattern = "^([0-9A-F]{8}|\(multizoneLeaderName)|\(multizoneFollowerName))$"

    /// True for eight upper-case hexadecimal digits and for the names that devices use instead of an id.
    public var isValid: Bool {
        if self == .multizoneLeaderName || self == .multizoneFollowerName { return true }
        let text = self.rawValue.utf8
        return text.count == 8
            && text.allSatisfy { byte in (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) }
    }
}

extension AppID {
    /// The Default Media Receiver.
    public static let defaultMediaReceiver: AppID = "CC1AD845"
    /// The idle screen of devices with a display.
    public static let backdrop: AppID = "E8C28D3C"
    /// Mirroring from Chromium, picture and sound.
    public static let mirroring: AppID = "0F5096E8"
    /// Mirroring from Chromium, sound alone.
    public static let audioMirroring: AppID = "85CDB22F"
    /// Mirroring from Android, picture and sound.
    public static let androidMirroring: AppID = "674A0243"
    /// Mirroring from Android, sound alone.
    public static let androidAudioMirroring: AppID = "8E6C866D"
    /// An Android app's own streaming.
    public static let androidStreaming: AppID = "96084372"
    /// An iOS app's own streaming.
    public static let iosStreaming: AppID = "BFD92C23"
    /// Shown by a device that leads a group.
    public static let multizoneLeader: AppID = "531A4F84"
    /// The name that some devices give ``multizoneLeader``.
    public static let multizoneLeaderName: AppID = "MultizoneLeader"
    /// Shown by a device that follows in a group.
    public static let multizoneFollower: AppID = "705D30C6"
    /// The name that some devices give ``multizoneFollower``.
    public static let multizoneFollowerName: AppID = "MultizoneFollower"
    /// YouTube.
    public static let youTube: AppID = "233637DE"
    /// YouTube's app on Android TV.
    public static let youTubeAndroidTV: AppID = "2C6A6E3D"
    /// DashCast, which shows any web page.
    public static let dashCast: AppID = "84912283"
    /// The app of Music Assistant, which plays media.
    public static let musicAssistant: AppID = "C35B0678"
    /// Home Assistant's dashboards.
    public static let homeAssistantDashboard: AppID = "A078F6B0"
    /// Home Assistant's media app.
    public static let homeAssistantMedia: AppID = "B45F4572"
    /// Audible.
    public static let audible: AppID = "25456794"
    /// Netflix.
    public static let netflix: AppID = "CA5E8412"
    /// Shown by a speaker that plays over Bluetooth.
    public static let bluetoothAudio: AppID = "89EA58C1"

    /// The apps that stream a sender's screen or sound over UDP and not over this channel (protocol notes, 5.11).
    public static let streamingApps: Set<AppID> = [
        .mirroring, .audioMirroring, .androidMirroring, .androidAudioMirroring, .androidStreaming, .iosStreaming,
    ]

    /// The apps that have a name here.
    public static let wellKnown: [AppID] = [
        .defaultMediaReceiver, .backdrop, .mirroring, .audioMirroring, .androidMirroring, .androidAudioMirroring,
        .androidStreaming, .iosStreaming, .multizoneLeader, .multizoneLeaderName, .multizoneFollower,
        .multizoneFollowerName, .youTube, .youTubeAndroidTV, .dashCast, .musicAssistant, .homeAssistantDashboard,
        .homeAssistantMedia, .audible, .netflix, .bluetoothAudio,
    ]

    /// True for one of ``streamingApps``, in whichever case its digits are written.
    public var isStreamed: Bool { Self.streamingApps.contains(AppID(rawValue: self.rawValue.uppercased())) }
}
