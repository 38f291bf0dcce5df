import CastWire
import NIOCore

extension SimulatedPlayer {
    /// The parts that a GET_STATUS leaves out.
    private struct Omission: OptionSet {
        let rawValue: Int
        static let metadata = Omission(rawValue: 1)
        static let items = Omission(rawValue: 2)
    }

    mutating func answerStatus(_ request: PlayerRequest, at now: NIODeadline) {
        var shown = self.session
        if let id = request.message.mediaSessionID, id != shown?.id { shown = nil }
        let omission = Omission(rawValue: request.message.options ?? 0)
        let limit = request.id == nil ? StatusBudget.broadcast : StatusBudget.reply(to: request.sender)
        let id = request.id ?? .spontaneous
        self.inform(request, self.message(shown, at: now, id: id, limit: limit, without: omission))
    }

    /// Answers a request with the status, unless it has no number.
    mutating func replyStatus(_ session: PlayerSession?, to request: PlayerRequest, at now: NIODeadline) {
        guard let id = request.id else { return }
        let limit = StatusBudget.reply(to: request.sender)
        self.outbox.append(.reply(self.message(session, at: now, id: id, limit: limit), to: request.sender))
    }

    mutating func broadcastStatus(_ session: PlayerSession, at now: NIODeadline) {
        self.outbox.append(.broadcast(self.message(session, at: now)))
    }

    /// The status as one element of a MEDIA_STATUS; nil when nothing is loaded.
    func currentStatus(at now: NIODeadline) -> JSONObject? {
        self.session?.status(at: now, volume: self.volume).json
    }

    /// The status for a sender that has just connected, to be sent to it alone; nil when nothing is loaded.
    func statusForNewSender(at now: NIODeadline) -> JSONObject? {
        self.session.map { self.message($0, at: now) }
    }

    /// A MEDIA_STATUS about a session, or about none.
    private func message(
        _ session: PlayerSession?, at now: NIODeadline, id: RequestID = .spontaneous,
        limit: Int = StatusBudget.broadcast, without omission: Omission = []
    ) -> JSONObject {
        var elements: [JSONValue] = []
        if let session {
            var status = session.status(at: now, volume: self.volume)
            if omission.contains(.items) { status.items = nil }
            if omission.contains(.metadata) {
                status.media?.metadata = nil
                status.extendedStatus?.media?.metadata = nil
                status.items = status.items?.map { item in
                    var item = item
                    item.media?.metadata = nil
                    return item
                }
            }
            elements.append(.object(StatusBudget.fit(status, into: limit, reserving: id.json.textLength).json))
        }
        return MediaResponseType.mediaStatus.message(id, ["status": .array(elements)])
    }
}
