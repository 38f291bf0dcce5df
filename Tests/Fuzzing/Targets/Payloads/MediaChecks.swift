import CastWire

/// The parts that requests and statuses have in common.
enum MediaChecks {
    static func check(_ items: [QueueItem]) throws {
        for item in items {
            let check = PayloadCheck(item)
            try check.keeps([\.itemID, \.orderID])
            try check.keeps([\.autoplay])
            try check.keeps([\.startTime, \.playbackDuration, \.preloadTime])
            try check.keeps([\.activeTrackIDs])
            try check.keeps([\.customData])
            try check.keeps([\.media])
            if let media = item.media { try Self.check(media) }
        }
    }

    static func check(_ load: LoadRequest) throws {
        let check = PayloadCheck(load)
        try check.keeps([\.media])
        try check.keeps([\.autoplay])
        try check.keeps([\.currentTime, \.playbackRate])
        try check.keeps([\.activeTrackIDs])
        try check.keeps([\.queueData])
        try check.keeps([\.repeatMode])
        try check.keeps([\.credentials, \.credentialsType, \.atvCredentials, \.atvCredentialsType])
        try check.keeps([\.loadOptions])
        try check.keeps([\.customData])
        if let media = load.media { try Self.check(media) }
        if let queue = load.queueData { try Self.check(queue) }
    }

    static func check(_ queue: QueueData) throws {
        let check = PayloadCheck(queue)
        try check.keeps([\.id, \.name, \.summary, \.entity])
        try check.keeps([\.queueType])
        try check.keeps([\.repeatMode])
        try check.keeps([\.isShuffled])
        try check.keeps([\.items])
        try check.keeps([\.startIndex])
        try check.keeps([\.startTime])
        try check.keeps([\.containerMetadata])
        try Self.check(queue.items ?? [])
    }

    static func check(_ volume: MediaVolume) throws {
        try PayloadCheck(volume).keeps([\.level])
        try PayloadCheck(volume).keeps([\.isMuted])
    }

    static func check(_ media: MediaInformation) throws {
        let check = PayloadCheck(media)
        try check.keeps([\.contentID, \.contentURL, \.contentType, \.entity])
        try check.keeps([\.hlsSegmentFormat])
        try check.keeps([\.hlsVideoSegmentFormat])
        try check.keeps([\.duration, \.startAbsoluteTime])
        try check.keeps([\.metadata])
        try check.keeps([\.customData])
        try check.keeps([\.tracks])
        try check.keeps([\.textTrackStyle])
        try check.keeps([\.breaks])
        try check.keeps([\.breakClips])
        try check.keeps([\.mediaCategory])
        try check.keeps([\.userActionStates])
        try check.keeps([\.vmapAdsRequest])
        try check.keeps([\.streamType])
        _ = media.playableURL
        if let metadata = media.metadata { try Self.check(metadata) }
        if let style = media.textTrackStyle { try Self.check(style) }
        for track in media.tracks ?? [] { try Self.check(track) }
        for entry in media.breaks ?? [] {
            try PayloadCheck(entry).keeps([\.position, \.duration])
            try PayloadCheck(entry).keeps([\.isWatched, \.isEmbedded])
            try PayloadCheck(entry).keeps([\.breakClipIDs])
        }
        for clip in media.breakClips ?? [] {
            try PayloadCheck(clip).keeps([\.duration, \.whenSkippable])
            try PayloadCheck(clip).keeps([\.id, \.title, \.contentID, \.contentURL, \.posterURL, \.clickThroughURL])
            try PayloadCheck(clip).keeps([\.vastAdsRequest])
        }
    }

    static func check(_ metadata: MediaMetadata) throws {
        let check = PayloadCheck(metadata)
        try check.keeps([\.metadataType])
        try check.keeps([
            \.title, \.subtitle, \.artist, \.albumName, \.albumArtist, \.composer, \.songName, \.studio, \.seriesTitle,
            \.releaseDate, \.originalAirdate, \.creationDateTime, \.location, \.bookTitle, \.chapterTitle,
        ])
        try check.keeps([
            \.trackNumber, \.discNumber, \.season, \.episode, \.width, \.height, \.chapterNumber, \.queueItemID,
        ])
        try check.keeps([\.latitude, \.longitude, \.sectionDuration, \.sectionStartTimeInMedia])
        try check.keeps([\.images])
    }

    static func check(_ track: MediaTrack) throws {
        let check = PayloadCheck(track)
        try check.keeps([\.trackID])
        try check.keeps([\.type])
        try check.keeps([\.name, \.language, \.trackContentID])
        try check.keeps([\.subtype])
        try check.keeps([\.trackContentType])
        try check.keeps([\.isInband])
        try check.keeps([\.roles])
        try check.keeps([\.customData])
    }

    static func check(_ style: TextTrackStyle) throws {
        let check = PayloadCheck(style)
        try check.keeps([\.backgroundColor, \.foregroundColor, \.edgeColor, \.fontFamily, \.windowColor])
        try check.keeps([\.edgeType])
        try check.keeps([\.fontGenericFamily])
        try check.keeps([\.fontStyle])
        try check.keeps([\.windowType])
        try check.keeps([\.fontScale, \.windowRoundedCornerRadius])
        try check.keeps([\.customData])
    }
}
