import CastClient
import CastWire
import GatewayConfig
import GatewayOperations

/// `media.tracks`
struct SelectTracks: MediaOperation {
    struct Input: DeviceInput, RuledInput {
        var device = DeviceReference("")
        var active: [Int]?
        var textLanguage: String?
        var audioLanguage: String?
        var isTextOn: Bool?
        var isSuggestion: Bool?
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            .optional(
                "active", \.active, .list(of: .integer(0...Int.max)),
                "The ids of the tracks that are on, all others off; empty for none", example: "[1, 4]"),
            .optional(
                "text_language", \.textLanguage, .text(maximumBytes: 64), "The language of the text (RFC 5646)",
                example: "de"),
            .optional(
                "audio_language", \.audioLanguage, .text(maximumBytes: 64), "The language of the sound (RFC 5646)",
                example: "en-GB"),
            .optional("text", \.isTextOn, .boolean, "Whether text is shown, in whichever track the app chooses"),
            .optional("suggestion", \.isSuggestion, .boolean, "Whether the app may take another language"),
            .customData(\.customData),
        ]

        static let rules: [InputRule] = [.one(of: ["active", "text_language", "audio_language", "text"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "media.tracks"
    static let route = OperationRoute(.put, "/devices/{device}/media/tracks")
    static let summary = "Chooses the tracks that are on"

    let controls: DeviceControls

    func command(_ input: Input) -> MediaCommand {
        let command: MediaCommand =
            if let active = input.active {
                .setActiveTracks(active)
            } else if let language = input.textLanguage {
                .setTextLanguage(language, isSuggestion: input.isSuggestion)
            } else if let language = input.audioLanguage {
                .setAudioLanguage(language, isSuggestion: input.isSuggestion)
            } else {
                .setTextEnabled(input.isTextOn ?? false)
            }
        return command.with(input.customData)
    }
}

/// How text is shown, as callers write it.
struct TextStyleInput: ConfigSettings {
    /// The words of the protocol in lower case.
    enum Edge: String, Sendable, CaseIterable {
        case none, outline
        case dropShadow = "drop_shadow"
        case raised, depressed
    }

    enum Window: String, Sendable, CaseIterable {
        case none, normal
        case roundedCorners = "rounded_corners"
    }

    enum Family: String, Sendable, CaseIterable {
        case sansSerif = "sans_serif"
        case monospacedSansSerif = "monospaced_sans_serif"
        case serif
        case monospacedSerif = "monospaced_serif"
        case casual, cursive
        case smallCapitals = "small_capitals"
    }

    enum Face: String, Sendable, CaseIterable {
        case normal, bold
        case boldItalic = "bold_italic"
        case italic
    }

    var fontScale: Double?
    var foregroundColor: String?
    var backgroundColor: String?
    var edgeType: Edge?
    var edgeColor: String?
    var fontFamily: String?
    var fontGenericFamily: Family?
    var fontStyle: Face?
    var windowType: Window?
    var windowColor: String?
    var windowCornerRadius: Double?
    var customData: JSONValue?

    private static func color(
        _ name: String, _ path: ConfigProperty<Self, String?>, _ meaning: String
    ) -> Key {
        .optional(
            name, path, .text(allowed: "#0-9A-Fa-f", length: 9...9), "\(meaning), `#RRGGBBAA`", example: "#FFFFFFFF")
    }

    static let keys: [Key] = [
        .optional("font_scale", \.fontScale, .number(0.1...10), "The size; 1 is normal", example: "1.5"),
        Self.color("foreground_color", \.foregroundColor, "The colour of the text"),
        Self.color("background_color", \.backgroundColor, "The colour behind the text"),
        .optional("edge_type", \.edgeType, .word, "The edge of the letters"),
        Self.color("edge_color", \.edgeColor, "The colour of the edge"),
        .optional("font_family", \.fontFamily, .text(maximumBytes: 256), "The font, if the device has it"),
        .optional("font_generic_family", \.fontGenericFamily, .word, "The kind of font otherwise"),
        .optional("font_style", \.fontStyle, .word, "The face"),
        .optional("window_type", \.windowType, .word, "The window behind the text"),
        Self.color("window_color", \.windowColor, "The colour of the window"),
        .optional(
            "window_corner_radius", \.windowCornerRadius, .number(0...1000), "The radius of its corners, in pixels"),
        .optional("custom_data", \.customData, .json, "What the app is told besides"),
    ]

    init() {}

    /// The style as the protocol has it.
    var style: TextTrackStyle {
        var style = TextTrackStyle()
        style.fontScale = self.fontScale
        style.foregroundColor = self.foregroundColor
        style.backgroundColor = self.backgroundColor
        style.edgeType = self.edgeType.map { TextEdgeType(rawValue: $0.rawValue.uppercased()) }
        style.edgeColor = self.edgeColor
        style.fontFamily = self.fontFamily
        style.fontGenericFamily = self.fontGenericFamily.map { TextFontFamily(rawValue: $0.rawValue.uppercased()) }
        style.fontStyle = self.fontStyle.map { TextFontStyle(rawValue: $0.rawValue.uppercased()) }
        style.windowType = self.windowType.map { TextWindowType(rawValue: $0.rawValue.uppercased()) }
        style.windowColor = self.windowColor
        style.windowRoundedCornerRadius = self.windowCornerRadius
        style.customData = self.customData
        return style
    }
}

/// `media.text_style`
struct SetTextStyle: MediaOperation {
    struct Input: DeviceInput {
        var device = DeviceReference("")
        var style = TextStyleInput()
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            .required("style", \.style, .object, "What is changed; the rest stays as the receiver has it"),
            .customData(\.customData),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "media.text_style"
    static let route = OperationRoute(.put, "/devices/{device}/media/text-style")
    static let summary = "Changes how text is shown"

    let controls: DeviceControls

    func command(_ input: Input) -> MediaCommand {
        .setTextStyle(input.style.style).with(input.customData)
    }
}
