import CastWire
import NIOCore

/// Makes the message of a command, by what is known when it is sent.
///
/// A command says what is wanted; only the state of playback tells which message that is: the live edge of a seek, the media
/// session, whether there is a queue to append to.
struct MediaCommandResolver {
    let snapshot: MediaSnapshot
    let options: MediaClientOptions
    let loads: (any LoadCompletion)?

    /// Where receivers that know of no live edge put a seek: behind every end.
    private static let farAway = 4_294_967_296.0

    /// The message of a command; nil when nothing has to be sent any more.
    /// - Throws: what is wrong with it, or why it cannot be carried out.
    func message(of command: MediaCommand, at now: NIODeadline) throws(RequestError) -> MediaRequest? {
        var message = MediaRequest(json: command.body)
        switch command.form {
        case .plain: break
        case .load: message.json = try self.loadBody(LoadRequest(json: command.body), at: now)
        case .liveEdge: message.currentTime = self.snapshot.liveSeekableRange(at: now)?.end ?? Self.farAway
        case .enqueue(let items, let before):
            let message = try self.enqueueing(items, before: before, at: now)
            return message
        }
        if message.items != nil, [.queueLoad, .queueInsert].contains(message.type) {
            message.items = try Self.newItems(message.items ?? [])
        }
        if message.type == .queueLoad, message.repeatMode == nil, self.snapshot.hasMediaSession {
            message.repeatMode = self.snapshot.repeatMode
        }
        try Self.check(message)
        try self.checkSupport(of: command)
        return try self.addMediaSession(to: message, as: command.session)
    }

    /// Names the media session.
    private func addMediaSession(
        to message: MediaRequest, as need: MediaCommand.Session
    ) throws(RequestError) -> MediaRequest? {
        guard need != .none, message.json["mediaSessionId"] == nil else { return message }
        var message = message
        if let session = self.snapshot.mediaSessionID {
            message.mediaSessionID = session
        } else if need == .required {
            // What has ended is stopped already (protocol notes, quirk 18).
            if message.type == .stop, self.snapshot.lastKnown != nil { return nil }
            throw RequestError(.noMediaSession, "nothing is loaded")
        }
        return message
    }

    private func loadBody(_ load: LoadRequest, at now: NIODeadline) throws(RequestError) -> JSONObject {
        var body: JSONObject = ["type": .string(MediaRequestType.load.rawValue)]
        if let sessionID = self.snapshot.app?.sessionID { body["sessionId"] = .string(sessionID) }
        var load = load
        self.keepRepeatMode(in: &load)
        if let app = self.snapshot.app { self.loads?.complete(&load, for: app) }
        let prepared = try load.prepared(appType: self.snapshot.app?.appType)
        for member in prepared.json.members where member.name != "type" { body[member.name] = member.value }
        return body
    }

    /// A queue that takes the place of another one goes on in its repeat mode, unless it names its own.
    private func keepRepeatMode(in load: inout LoadRequest) {
        guard self.snapshot.hasMediaSession, load.repeatMode == nil, var queue = load.queueData,
            queue.repeatMode == nil,
            let mode = self.snapshot.repeatMode
        else { return }
        queue.repeatMode = mode
        load.queueData = queue
    }

    /// Appends to the queue that there is; makes one otherwise.
    private func enqueueing(
        _ items: [QueueItem], before: Int?, at now: NIODeadline
    ) throws(RequestError) -> MediaRequest? {
        guard self.snapshot.hasQueue else {
            var queue = QueueData()
            queue.items = items.map(\.withoutID)
            queue.repeatMode = self.snapshot.repeatMode ?? self.lastRepeatMode ?? .off
            var load = LoadRequest(json: ["autoplay": .null])
            load.queueData = queue
            if items.isEmpty { throw RequestError(.invalidRequest, "there is nothing to append") }
            return MediaRequest(json: try self.loadBody(load, at: now))
        }
        var message = MediaRequest()
        message.type = .queueInsert
        message.items = try Self.newItems(items)
        message.insertBefore = before
        return try self.addMediaSession(to: message, as: .required)
    }

    private var lastRepeatMode: RepeatMode? { self.snapshot.lastKnown?.status.repeatMode }

    private static func newItems(_ items: [QueueItem]) throws(RequestError) -> [QueueItem] {
        guard !items.isEmpty else { throw RequestError(.invalidRequest, "there are no items") }
        return try items.prepared()
    }

    private func checkSupport(of command: MediaCommand) throws(RequestError) {
        guard self.options.checksSupportedCommands, !command.needs.isEmpty, let status = self.snapshot.status,
            status.json["supportedMediaCommands"] != nil, self.snapshot.playerState.isActive,
            !status.supportedMediaCommands.isSuperset(of: command.needs)
        else { return }
        throw RequestError(.notAllowed, "the app does not support \(command.type.rawValue) now")
    }

    /// What no receiver could carry out is not sent.
    private static func check(_ message: MediaRequest) throws(RequestError) {
        for (name, value) in [("currentTime", message.currentTime), ("relativeTime", message.relativeTime)] {
            guard let given = message.json[name] else { continue }
            guard given != .null, let value, value.isFinite, name == "relativeTime" || value >= 0 else {
                throw RequestError(.invalidRequest, "\(name) is no time")
            }
        }
        for (name, value) in [
            ("playbackRate", message.playbackRate), ("relativePlaybackRate", message.relativePlaybackRate),
        ] where message.json[name] != nil {
            guard let value, value.isFinite, value > 0 else {
                throw RequestError(.invalidRequest, "\(name) is no number above 0")
            }
        }
        if let volume = message.volume, volume.json["level"] != nil,
            !(volume.level.map { (0...1).contains($0) } ?? false)
        {
            throw RequestError(.invalidRequest, "a volume lies between 0 and 1")
        }
        if message.type == .queueLoad, let index = message.startIndex, !(message.items ?? []).indices.contains(index) {
            throw RequestError(.invalidRequest, "the queue has no item \(index)")
        }
        if message.type == .queueInsert, let index = message.currentItemIndex,
            !(message.items ?? []).indices.contains(index)
        {
            throw RequestError(.invalidRequest, "there is no item \(index) among the new ones")
        }
        let needsIDs: [MediaRequestType] = [.queueRemove, .queueReorder, .queueGetItems]
        if let type = message.type, needsIDs.contains(type), (message.itemIDs ?? []).isEmpty {
            throw RequestError(.invalidRequest, "\(type.rawValue) names no items")
        }
        if message.type == .queueUpdate, let items = message.items, items.contains(where: { $0.itemID == nil }) {
            throw RequestError(.invalidRequest, "an item to be changed has no id")
        }
        if message.type == .queueGetItemRange, message.nextCount == nil, message.previousCount == nil {
            throw RequestError(.invalidRequest, "neither next nor previous items are asked for")
        }
        if message.type == .loadByEntity, (message.entity ?? "").isEmpty {
            throw RequestError(.invalidRequest, "the load names no entity")
        }
    }
}
