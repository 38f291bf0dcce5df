import CastWire

/// Requests of the media namespace, with the media and queues in them.
package enum MediaRequestTarget: FuzzTarget {
    /// `media-request`
    package static let name = "media-request"

    /// Reads a request, and the LOAD that it may be.
    package static func run(_ input: [UInt8]) throws {
        guard let json = CastMessage.Payload(input: input)?.jsonObject else { return }
        let request = MediaRequest(json: json)
        let check = PayloadCheck(request)
        try check.keeps([\.type])
        try check.keeps([\.customData])
        try check.keeps([
            \.mediaSessionID, \.sequenceNumber, \.options, \.itemID, \.startIndex, \.insertBefore, \.currentItemID,
            \.currentItemIndex, \.jump, \.nextCount, \.previousCount,
        ])
        try check.keeps([\.currentTime, \.relativeTime, \.playbackRate, \.relativePlaybackRate])
        try check.keeps([\.language, \.entity])
        try check.keeps([\.enablesTextTracks, \.isSuggestedLanguage, \.shuffles, \.clears])
        try check.keeps([\.activeTrackIDs, \.itemIDs])
        try check.keeps([\.resumeState])
        try check.keeps([\.repeatMode])
        try check.keeps([\.userAction])
        try check.keeps([\.volume])
        try check.keeps([\.textTrackStyle])
        try check.keeps([\.items])
        try check.keeps([\.sessionState])
        _ = request.requestID
        try MediaChecks.check(request.items ?? [])
        if let volume = request.volume { try MediaChecks.check(volume) }
        if let style = request.textTrackStyle { try MediaChecks.check(style) }
        try MediaChecks.check(LoadRequest(json: json))
        if let load = request.sessionState?.loadRequestData { try MediaChecks.check(load) }
    }
}
