extension MediaStatus {
    /// The elements of a MEDIA_STATUS.
    /// - Returns: none when the message says that nothing is loaded; nil when it says nothing of that, since its list is missing, no
    ///   list, or a list of things that are no statuses.
    public static func elements(of message: JSONObject) -> [MediaStatus]? {
        message.objects("status")?.map { MediaStatus(json: $0) }
    }

    /// Fields that stay as they were when a status of the same media session does not tell them, with what a value has to be to tell
    /// something; the other fields say something by being absent.
    private static let lasting: [String: @Sendable (JSONValue) -> Bool] = [
        "mediaSessionId": { Int(field: $0, isExact: false) != nil },
        "playerState": { $0.stringValue != nil },
        "currentTime": { Double(field: $0, isExact: false)?.isFinite ?? false },
        "playbackRate": { Double(field: $0, isExact: false)?.isFinite ?? false },
        "supportedMediaCommands": { Int(field: $0, isExact: false) != nil },
        "volume": { $0.objectValue != nil },
        "media": { $0.objectValue != nil },
        "activeTrackIds": { [Int](field: $0, isExact: false) != nil },
        "currentItemId": { Int(field: $0, isExact: false) != nil },
        "items": { $0.listedObjects != nil },
        "repeatMode": { $0.stringValue != nil },
        "queueData": { $0.objectValue != nil },
        "videoInfo": { $0.objectValue != nil },
        "liveSeekableRange": { $0.objectValue != nil },
    ]

    /// Whether the status itself tells a field: it is there, and of its kind.
    public func tells(_ name: String) -> Bool {
        guard let value = self.json[name], value != .null else { return false }
        return Self.lasting[name]?(value) ?? true
    }

    /// The status with what it does not tell taken from an earlier one of the same media session.
    ///
    /// Receivers leave out what has not changed, and some write `null`, or a value of another kind. Fields that only count while they
    /// are there, such as the reason of being idle, are not taken over.
    /// - Parameters:
    ///   - earlier: nil when there is none; what tells nothing is left out all the same.
    ///   - fieldLimit: how many fields are read at most.
    public func completed(by earlier: MediaStatus?, fieldLimit: Int = 64) -> MediaStatus {
        let kept = earlier?.json.members.filter { Self.lasting[$0.name] != nil } ?? []
        var json = JSONObject(kept.map { ($0.name, $0.value) })
        for member in self.json.members.prefix(fieldLimit) where self.tells(member.name) {
            json[member.name] = member.value
        }
        if let volume = self.volume, let known = earlier?.volume {
            json["volume"] = .object(volume.json.completed(by: known.json, where: { $0 != .null }))
        }
        return MediaStatus(json: json)
    }
}

extension JSONObject {
    /// The objects of a list: none for an empty list; nil when there is no list, or nothing in it is an object.
    public func objects(_ name: String) -> [JSONObject]? { self[name]?.listedObjects }

    /// The object with the members that tell nothing taken from another one, and those that it lacks.
    /// - Parameter tells: whether a value tells something.
    func completed(by earlier: JSONObject, where tells: (JSONValue) -> Bool) -> JSONObject {
        var json = earlier
        for member in self.members where tells(member.value) { json[member.name] = member.value }
        return json
    }
}

extension JSONValue {
    /// The objects of a list, as for ``JSONObject/objects(_:)``.
    fileprivate var listedObjects: [JSONObject]? {
        guard let elements = self.arrayValue else { return nil }
        let objects = elements.compactMap(\.objectValue)
        return objects.isEmpty && !elements.isEmpty ? nil : objects
    }
}
