/// The system that a sender runs on, by the numbers of ``SenderInfo``.
public enum SenderPlatform: Int, Hashable, Sendable, CaseIterable {
    /// None of the others.
    case other = 0
    /// Android.
    case android = 1
    /// iOS.
    case ios = 2
    /// Windows.
    case windows = 3
    /// macOS.
    case macos = 4
    /// ChromeOS.
    case chromeos = 5
    /// Linux.
    case linux = 6
    /// A Cast device.
    case castDevice = 7

    /// The system in a word that never changes.
    public var word: String {
        switch self {
        case .other: "other"
        case .android: "android"
        case .ios: "ios"
        case .windows: "windows"
        case .macos: "macos"
        case .chromeos: "chromeos"
        case .linux: "linux"
        case .castDevice: "cast_device"
        }
    }

    /// The system that goes by a word; nil for any other.
    public init?(word: String) {
        guard let platform = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = platform
    }
}
