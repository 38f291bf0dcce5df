import CastDiscovery

/// Whether a device can show a medium, judged by what it announces of itself and by what every Cast device plays.
///
/// A device does not list its formats, so there are three answers: what no announcement allows is `no`; what each device with such a screen
/// or loudspeaker plays is `yes`; what one model plays and another does not is `unknown`.
struct DisplayQuestion: Hashable, Sendable {
    /// The answer.
    enum Answer: String, Hashable, Sendable, CaseIterable {
        case yes, no, unknown
    }

    /// The answer with its reason, in a sentence without a full stop.
    struct Verdict: Hashable, Sendable {
        let answer: Answer
        let reason: String

        static let yes = Verdict(answer: .yes, reason: "every device with such a screen or loudspeaker plays it")
        static func no(_ reason: String) -> Verdict { Verdict(answer: .no, reason: reason) }
        static func unknown(_ reason: String) -> Verdict { Verdict(answer: .unknown, reason: reason) }
    }

    /// The type without its parameters, in small letters: `video/mp4`.
    let type: String
    /// The codecs, in small letters: `avc1.64001f`.
    let codecs: [String]
    /// Pixels of a line.
    let width: Int?
    /// Lines.
    let height: Int?
    /// Pictures a second.
    let frameRate: Double?

    /// - Parameters:
    ///   - contentType: a media type, with the parameter `codecs` or without (RFC 6381).
    ///   - codecs: further codecs, with commas between them.
    init(contentType: String, codecs: String? = nil, width: Int? = nil, height: Int? = nil, frameRate: Double? = nil) {
        let parts = contentType.lowercased().split(separator: ";", omittingEmptySubsequences: false).map {
            Self.trimmed($0)
        }
        self.type = parts.first ?? ""
        let parameter = parts.dropFirst().first { $0.hasPrefix("codecs=") }?.dropFirst("codecs=".count)
        let lists = [parameter.map(String.init), codecs?.lowercased()].compactMap(\.self)
        self.codecs = lists.flatMap { $0.split(separator: ",").map { Self.trimmed($0) } }.filter { !$0.isEmpty }
        self.width = width
        self.height = height
        self.frameRate = frameRate
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first == " " || first == "\"" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\"" { text.removeLast() }
        return String(text)
    }

    // MARK: What devices play

    private static let sounds: Set<String> = [
        "audio/aac", "audio/flac", "audio/mp3", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav", "audio/webm",
        "audio/x-wav",
    ]
    private static let pictures: Set<String> = [
        "image/bmp", "image/gif", "image/jpeg", "image/png", "image/webp", "video/mp2t", "video/mp4", "video/webm",
    ]
    /// Lists of streams, with pictures or without.
    private static let manifests: Set<String> = [
        "application/dash+xml", "application/vnd.apple.mpegurl", "application/vnd.ms-sstr+xml",
        "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl",
    ]
    private static let soundCodecs: Set<String> = ["flac", "mp3", "mp4a", "opus", "vorbis"]
    private static let pictureCodecs: Set<String> = ["avc1", "avc3", "vp8"]
    /// Codecs of pictures that some models have.
    private static let newPictureCodecs: Set<String> = [
        "av01", "dvav", "dvh1", "dvhe", "hev1", "hvc1", "vp09", "vp9",
    ]

    // MARK: The answer

    /// What a device with these capabilities takes.
    /// - Parameter capabilities: what it announces; nil while it has not said.
    func verdict(for capabilities: DeviceCapabilities?) -> Verdict {
        let parts = self.type.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), parts[0] != "text"
        else { return .no("'\(self.type)' is no type of media") }
        guard let capabilities else { return .unknown("the device has not said what it can do") }
        if self.needsScreen, !capabilities.contains(.videoOut) { return .no("the device has no screen") }
        if capabilities.isDisjoint(with: [.videoOut, .audioOut]) {
            return .no("the device has neither a screen nor a loudspeaker")
        }
        if self.type.hasPrefix("audio/"), !capabilities.contains(.audioOut) {
            return .no("the device has no loudspeaker")
        }
        guard Self.sounds.union(Self.pictures).union(Self.manifests).contains(self.type) else {
            return .unknown("not every device plays '\(self.type)'")
        }
        let known = Self.soundCodecs.union(Self.pictureCodecs)
        if let codec = self.codecs.first(where: { !known.contains(Self.family($0)) }) {
            return .unknown("not every device has the codec '\(codec)'")
        }
        guard self.isSizeOfEveryScreen else {
            return .unknown("not every screen shows more than 1280x720 at 60 or 1920x1080 at 30 pictures a second")
        }
        return .yes
    }

    private var needsScreen: Bool {
        if self.width != nil || self.height != nil || self.frameRate != nil { return true }
        if self.type.hasPrefix("video/") || self.type.hasPrefix("image/") { return true }
        let codecs = Self.pictureCodecs.union(Self.newPictureCodecs)
        return self.codecs.contains { codecs.contains(Self.family($0)) }
    }

    /// What the first generation of devices decodes; every later one does more.
    private var isSizeOfEveryScreen: Bool {
        let long = max(self.width ?? 0, self.height ?? 0)
        let short = min(self.width ?? 0, self.height ?? 0)
        let rate = self.frameRate ?? 0
        return long <= 1280 && short <= 720 && rate <= 60 || long <= 1920 && short <= 1080 && rate <= 30
    }

    /// `avc1` of `avc1.64001f`.
    private static func family(_ codec: String) -> String { String(codec.prefix { $0 != "." }) }
}
