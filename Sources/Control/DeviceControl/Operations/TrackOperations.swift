import CastClient
import CastWire
import FeatureContract
import GatewayConfig
import GatewayOperations
import GatewaySettings

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
