public import CastWire

extension MediaCommand {
    /// Makes these tracks the active ones, all others inactive; an empty list switches off what can be.
    ///
    /// Two tracks that exclude one another are refused by the receiver with `INVALID_PARAMS`.
    public static func setActiveTracks(_ ids: [Int]) -> MediaCommand {
        MediaCommand(.editTracksInfo, needs: .editTracks) { $0.activeTrackIDs = ids }
    }

    /// Chooses the text track by language.
    /// - Parameters:
    ///   - language: A tag as in RFC 5646.
    ///   - isSuggestion: Whether the receiver may take another one.
    public static func setTextLanguage(_ language: String, isSuggestion: Bool? = nil) -> MediaCommand {
        MediaCommand(.editTracksInfo, needs: .editTracks) { request in
            request.language = language
            request.enablesTextTracks = true
            request.isSuggestedLanguage = isSuggestion
        }
    }

    /// Switches text off, or on as the receiver thinks best.
    public static func setTextEnabled(_ isEnabled: Bool) -> MediaCommand {
        MediaCommand(.editTracksInfo, needs: .editTracks) { $0.enablesTextTracks = isEnabled }
    }

    /// Chooses the audio track by language.
    /// - Parameters:
    ///   - language: A tag as in RFC 5646.
    ///   - isSuggestion: Whether the receiver may take another one.
    public static func setAudioLanguage(_ language: String, isSuggestion: Bool? = nil) -> MediaCommand {
        MediaCommand(.editAudioTracks, needs: .editTracks) { request in
            request.language = language
            request.isSuggestedLanguage = isSuggestion
        }
    }

    /// Changes how text is shown; what the style leaves out stays as the receiver has it.
    public static func setTextStyle(_ style: TextTrackStyle) -> MediaCommand {
        MediaCommand(.editTracksInfo, needs: .editTracks) { $0.textTrackStyle = style }
    }
}
