import CastWire

/// What the SDKs do to a load before they send it.
extension LoadRequest {
    /// The load as it is sent, complete and checked.
    ///
    /// - `contentId` is filled from `contentUrl`, `streamType` with BUFFERED, `metadataType` with the generic one.
    /// - Predefined metadata keys that do not belong to their kind are left out.
    /// - `autoplay` that is absent means true. One that is null leaves it to the first item of the queue, and a single medium
    ///   does not start.
    /// - A start time that is no number, or before the start, is left out: receivers begin at the start, or at the live edge.
    /// - An Android TV app gets the credentials for Android TV in place of the others.
    /// - Throws: ``RequestError`` with `invalidRequest` for what no receiver could play.
    func prepared(appType: String?) throws(RequestError) -> LoadRequest {
        var load = self
        let hasMedia = (load.json["media"] ?? .null) != .null
        let queueItems = load.queueData?.items ?? []
        guard hasMedia || !queueItems.isEmpty || load.queueData?.entity != nil else {
            throw RequestError(.invalidRequest, "the load has neither media nor a queue")
        }
        if hasMedia {
            guard let media = load.media else {
                throw RequestError(.invalidRequest, "the media information is missing")
            }
            load.media = try media.prepared()
        }
        if let queueData = load.queueData { load.queueData = try queueData.prepared() }
        load.json["autoplay"] = .bool(try Self.autoplay(load))
        if let time = load.json["currentTime"] {
            if let seconds = load.currentTime, seconds.isFinite, seconds >= 0, time != .null {
                load.currentTime = seconds
            } else {
                load.json["currentTime"] = nil
            }
        }
        if load.json["playbackRate"] != nil {
            guard let rate = load.playbackRate, rate.isFinite, rate > 0 else {
                throw RequestError(.invalidRequest, "the playback rate is no number above 0")
            }
        }
        if load.json["activeTrackIds"] != nil {
            guard let ids = load.activeTrackIDs else {
                throw RequestError(.invalidRequest, "the ids of the active tracks are no whole numbers")
            }
            load.activeTrackIDs = ids
        }
        if appType == "ANDROID_TV" { load.chooseCredentialsForAndroidTV() }
        load.json = JSONObject(load.json.members.filter { $0.value != .null }.map { ($0.name, $0.value) })
        return load
    }

    private static func autoplay(_ load: LoadRequest) throws(RequestError) -> Bool {
        guard load.json["autoplay"] == .null else { return load.autoplay ?? true }
        guard let items = load.queueData?.items, !items.isEmpty else { return false }
        let index = load.queueData?.startIndex ?? 0
        return items.indices.contains(index) ? items[index].autoplay ?? true : true
    }

    private mutating func chooseCredentialsForAndroidTV() {
        guard let atvCredentials = self.atvCredentials else { return }
        self.credentials = atvCredentials
        self.credentialsType = self.atvCredentialsType ?? self.credentialsType
    }
}

extension MediaInformation {
    /// The media information as it is sent, complete and checked.
    func prepared() throws(RequestError) -> MediaInformation {
        var media = self
        guard let id = media.contentID, !id.isEmpty else {
            guard media.entity?.isEmpty == false else {
                throw RequestError(.invalidRequest, "the media information names nothing to play")
            }
            return media
        }
        if media.json["contentId"]?.stringValue == nil { media.contentID = id }
        if media.json["contentUrl"] != nil {
            guard let url = media.contentURL, Self.isAbsolute(url) else {
                throw RequestError(
                    .invalidRequest,
                    "the address of the media is no absolute address, such as http://192.0.2.9/film.mp4")
            }
        }
        if media.json["streamType"]?.stringValue == nil { media.streamType = .buffered }
        if let metadata = media.metadata {
            do {
                media.metadata = try metadata.checked()
            } catch {
                throw RequestError(.invalidRequest, error.description)
            }
        }
        if let tracks = media.tracks {
            var seen: Set<Int> = []
            media.tracks = try tracks.map { (track) throws(RequestError) in
                guard let id = track.trackID, seen.insert(id).inserted else {
                    throw RequestError(.invalidRequest, "each track needs a whole number of its own as id")
                }
                // Lists in the wild hold the ids as text.
                var track = track
                track.trackID = id
                return track
            }
        }
        return media
    }

    /// A scheme, a colon and something behind. Blanks within are passed on, since receivers encode them as browsers do; control
    /// characters are not, nor are blanks at the ends.
    private static func isAbsolute(_ url: String) -> Bool {
        guard let colon = url.firstIndex(of: ":"), colon != url.startIndex, url.index(after: colon) != url.endIndex,
            let first = url.first, first.isASCII, first.isLetter
        else { return false }
        let scheme = url[..<colon]
        return scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
            && url.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } && url.last != " "
            && url[url.index(after: colon)...] != "//"
    }
}

extension QueueData {
    /// The queue as it is sent, complete and checked.
    func prepared() throws(RequestError) -> QueueData {
        var queue = self
        if let items = queue.items {
            queue.items = try items.prepared()
            if let index = queue.startIndex, !items.indices.contains(index) {
                throw RequestError(.invalidRequest, "the queue has no item \(index)")
            }
        }
        return queue
    }
}

extension [QueueItem] {
    /// New items as they are sent: checked, and without ids, which receivers give.
    func prepared() throws(RequestError) -> [QueueItem] {
        try self.map { (item) throws(RequestError) in
            guard let media = item.media else {
                throw RequestError(.invalidRequest, "an item of the queue has no media")
            }
            var item = item.withoutID
            item.media = try media.prepared()
            if item.json["startTime"] != nil, !(item.startTime.map { $0.isFinite && $0 >= 0 } ?? false) {
                item.startTime = nil
            }
            return item
        }
    }
}
