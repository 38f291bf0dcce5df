import CastWire

/// What a player tells of itself.
package enum MediaStatusTarget: FuzzTarget {
    /// `media-status`
    package static let name = "media-status"

    /// Reads a MEDIA_STATUS, or one status of it.
    package static func run(_ input: [UInt8]) throws {
        guard let json = CastMessage.Payload(input: input)?.jsonObject else { return }
        let elements = (json.array("status") ?? []).compactMap(\.objectValue)
        for element in [json] + elements { try Self.check(MediaStatus(json: element)) }
    }

    private static func check(_ status: MediaStatus) throws {
        let check = PayloadCheck(status)
        try check.keeps([\.mediaSessionID, \.currentItemID, \.loadingItemID, \.preloadedItemID])
        try check.keeps([\.playbackRate, \.currentTime])
        try check.keeps([\.playerState])
        try check.keeps([\.idleReason])
        try check.keeps([\.extendedStatus])
        try check.keeps([\.volume])
        try check.keeps([\.media])
        try check.keeps([\.activeTrackIDs])
        try check.keeps([\.items])
        try check.keeps([\.repeatMode])
        try check.keeps([\.queueData])
        try check.keeps([\.videoInfo])
        try check.keeps([\.liveSeekableRange])
        try check.keeps([\.breakStatus])
        try check.keeps([\.customData])
        try check.keeps([\.supportedMediaCommands])
        if let media = status.media { try MediaChecks.check(media) }
        if let media = status.extendedStatus?.media { try MediaChecks.check(media) }
        if let volume = status.volume { try MediaChecks.check(volume) }
        if let queue = status.queueData { try MediaChecks.check(queue) }
        try MediaChecks.check(status.items ?? [])
        if let range = status.liveSeekableRange {
            try PayloadCheck(range).keeps([\.start, \.end])
            try PayloadCheck(range).keeps([\.isMovingWindow, \.isLiveDone])
        }
        if let position = status.breakStatus {
            try PayloadCheck(position).keeps([\.breakID, \.breakClipID])
            try PayloadCheck(position).keeps([\.currentBreakTime, \.currentBreakClipTime, \.whenSkippable])
        }
        if let video = status.videoInfo {
            try PayloadCheck(video).keeps([\.width, \.height])
            try PayloadCheck(video).keeps([\.hdrType])
        }
    }
}
