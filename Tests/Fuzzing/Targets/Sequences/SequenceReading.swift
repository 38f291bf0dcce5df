import CastWire

/// Values of messages, sensible and not, as an input chooses them.
extension InputReader {
    private static let appIDs = [
        "CC1AD845", "ABCD1234", "51000000", "52000000", "53000000", "54000000", "55000000", "56000000", "00000000", "",
    ]
    private static let mediaTypes = [
        "LOAD", "LOAD", "LOAD", "PLAY", "PAUSE", "STOP", "SEEK", "GET_STATUS", "SET_VOLUME", "QUEUE_LOAD",
        "QUEUE_INSERT", "QUEUE_UPDATE", "QUEUE_REMOVE", "QUEUE_REORDER", "QUEUE_NEXT", "QUEUE_PREV", "QUEUE_SHUFFLE",
        "QUEUE_GET_ITEM_IDS", "QUEUE_GET_ITEMS", "QUEUE_GET_ITEM_RANGE", "SET_PLAYBACK_RATE", "EDIT_TRACKS_INFO",
        "EDIT_AUDIO_TRACKS", "SKIP_AD", "PRELOAD", "PRECACHE", "USER_ACTION", "PLAY_AGAIN", "STORE_SESSION",
        "RESUME_SESSION", "LOAD_BY_ENTITY", "SET_CREDENTIALS", "DISPLAY_STATUS", "FOCUS_STATE", "PLAY_STRING",
        "CUSTOM_COMMAND", "NONSENSE",
    ]
    private static let mediaFields = [
        "media", "items", "queueData", "currentTime", "relativeTime", "resumeState", "autoplay", "options", "volume",
        "playbackRate", "relativePlaybackRate", "activeTrackIds", "language", "enableTextTracks", "textTrackStyle",
        "itemIds", "itemId", "startIndex", "insertBefore", "currentItemId", "currentItemIndex", "jump", "repeatMode",
        "shuffle", "nextCount", "prevCount", "userAction", "entity", "sessionState", "customData", "state",
    ]
    /// Values that senders should not send, spelled as they would.
    private static let garbage: [JSONValue] =
        [
            "1e999", "-1e999", "1e-320", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "-1",
            "0.5",
            "null", "true", "[]", "{}", "\"\"", "\"nan\"", "[[[[]]]]", "[1e999]", "[{}]", "{\"level\":-1e999}",
            "{\"items\":[null,{}]}", "{\"media\":{\"contentId\":7}}", "\"\\u0000\\ud83d\"",
        ].map { (try? JSONReader.read($0)) ?? .null } + [.string(String(repeating: "z", count: 9_000)), Self.deep]

    private static let deep: JSONValue = {
        let text = String(repeating: "[", count: 120) + String(repeating: "]", count: 120)
        return (try? JSONReader.read(text)) ?? .null
    }()

    mutating func whole(_ range: ClosedRange<Int>) -> JSONValue {
        .number(range.lowerBound + self.number(below: range.count))
    }

    mutating func anything() -> JSONValue { self.one(of: Self.garbage) }

    mutating func appID() -> JSONValue {
        self.once(in: 16) ? self.anything() : .string(self.one(of: Self.appIDs))
    }

    // MARK: The platform's requests

    mutating func platformRequest(session: String?) -> JSONObject {
        switch self.number(below: 12) {
        case 0...2: return ["type": "GET_STATUS"]
        case 3...6:
            var launch: JSONObject = ["type": "LAUNCH", "appId": self.appID()]
            if self.once(in: 4) { launch["supportedAppTypes"] = self.one(of: [["ANDROID_TV"], ["WEB"], [], [7]]) }
            if self.once(in: 4) { launch["appParams"] = self.anything() }
            if self.once(in: 4) { launch["credentials"] = "token" }
            return launch
        case 7: return ["type": "STOP"]
        case 8: return ["type": "STOP", "sessionId": self.once(in: 4) ? self.anything() : .string(session ?? "none")]
        case 9:
            let level: JSONObject = ["level": self.once(in: 4) ? self.anything() : self.whole(0...1)]
            return ["type": "SET_VOLUME", "volume": self.once(in: 4) ? ["muted": true] : .object(level)]
        case 10: return ["type": "GET_APP_AVAILABILITY", "appId": .array([self.appID(), self.appID()])]
        default: return ["type": self.once(in: 2) ? "NONSENSE" : self.anything()]
        }
    }

    // MARK: The media's requests

    mutating func mediaRequest(_ wanted: String? = nil) -> JSONObject {
        let type = wanted ?? self.one(of: Self.mediaTypes)
        var json: JSONObject = ["type": .string(type)]
        // Media sessions count from 1.
        if !type.hasPrefix("LOAD") { json["mediaSessionId"] = self.once(in: 16) ? self.anything() : self.whole(1...3) }
        let usual: [String] =
            switch type {
            case "LOAD": ["media"]
            case "QUEUE_LOAD", "QUEUE_INSERT": ["items"]
            case "SEEK": ["currentTime"]
            case "RESUME_SESSION": ["sessionState"]
            default: []
            }
        for name in usual { json[name] = self.mediaValue(name) }
        for _ in 0..<self.number(below: 4) {
            let name = self.one(of: Self.mediaFields)
            json[name] = self.mediaValue(name)
        }
        return json
    }

    private mutating func mediaValue(_ name: String) -> JSONValue {
        if self.once(in: 8) { return self.anything() }
        return switch name {
        case "media": self.media()
        case "items": self.items()
        case "queueData": ["items": self.items(), "startIndex": self.whole(0...3), "repeatMode": "REPEAT_ALL"]
        case "repeatMode": self.one(of: ["REPEAT_OFF", "REPEAT_ALL", "REPEAT_SINGLE", "REPEAT_ALL_AND_SHUFFLE"])
        case "itemIds", "activeTrackIds": .array((0..<self.number(below: 5)).map { _ in self.whole(0...20) })
        case "volume": ["level": self.whole(0...1)]
        case "userAction": self.one(of: ["LIKE", "SKIP_AD"])
        case "language": self.one(of: ["en", "xx"])
        case "resumeState": self.one(of: ["PLAYBACK_START", "PLAYBACK_PAUSE"])
        case "state": "IN_FOCUS"
        case "sessionState": ["loadRequestData": ["media": self.media(), "currentTime": 5]]
        case "enableTextTracks", "shuffle", "autoplay": .bool(self.once(in: 2))
        default: self.whole(-3...60)
        }
    }

    private mutating func items() -> JSONValue {
        .array(
            (0..<self.number(below: 5)).map { _ in
                var item: JSONObject = ["media": self.media()]
                if self.once(in: 4) { item["startTime"] = self.anything() }
                if self.once(in: 4) { item["playbackDuration"] = self.whole(-3...20) }
                if self.once(in: 4) { item["preloadTime"] = self.whole(0...30) }
                return .object(item)
            })
    }

    private mutating func media() -> JSONValue {
        var media: JSONObject = [
            "contentId": self.one(of: ["a", "fail", "brittle", "http://h/x.m3u8", "rtsp://h"])
        ]
        if self.once(in: 2) { media["duration"] = self.once(in: 8) ? self.anything() : self.whole(1...200) }
        if self.once(in: 4) { media["streamType"] = self.one(of: ["LIVE", "NONE", .null]) }
        if self.once(in: 4) { media["metadata"] = ["title": self.once(in: 2) ? "A title" : self.anything()] }
        if self.once(in: 8) { media["customData"] = self.anything() }
        if self.once(in: 8) {
            media["tracks"] = [
                ["trackId": 1, "type": "AUDIO", "language": "en"], ["trackId": "2", "type": "TEXT"], 3,
            ]
        }
        if self.once(in: 8) {
            media["breaks"] = [
                ["id": "p", "position": 0, "breakClipIds": ["c", "d"]], ["position": -1, "breakClipIds": ["d"]],
                ["position": self.anything(), "breakClipIds": ["c"]],
            ]
            media["breakClips"] = [
                ["id": "c", "duration": 5, "whenSkippable": 2], ["id": "d", "duration": self.anything()],
            ]
        }
        return .object(media)
    }
}
