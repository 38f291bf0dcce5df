import CastWire

/// The time in which the device is out of reach and its senders have not been told; and the media statuses that apps are asked
/// for after it, in the place of what they said meanwhile.
struct GracePeriod {
    /// Numbers that senders do not use for their requests, since they count from one.
    private static let firstRequestID = 1_900_000_000
    /// There is one app on a device, or two while one takes the place of the other.
    private static let maximumRefreshes = 8

    /// True from the loss until the device is back, or the senders are told.
    private(set) var isRunning = false
    private var refreshes: [RequestID: SenderEnd] = [:]
    private var nextRequestID = Self.firstRequestID

    var isRefreshing: Bool { !self.refreshes.isEmpty }

    mutating func begin() {
        self.isRunning = true
        self.refreshes = [:]
    }

    mutating func end() {
        self.isRunning = false
    }

    /// The senders are told of the loss.
    mutating func clear() {
        self.isRunning = false
        self.refreshes = [:]
    }

    /// Asks an app for its media status, in the name of a sender's end that is connected to it.
    /// - Returns: nil when too many have been asked already.
    mutating func refresh(_ transport: EndpointID, for sender: SenderEnd) -> CastMessage? {
        guard self.refreshes.count < Self.maximumRefreshes else { return nil }
        self.nextRequestID += 1
        let id = RequestID(self.nextRequestID)
        self.refreshes[id] = sender
        return CastMessage(
            source: sender.end, destination: transport, namespace: .media,
            json: ["type": "GET_STATUS", "requestId": id.json])
    }

    /// An app answered to all, as some do, so every sender has the answer.
    mutating func receivedByAll(_ message: CastMessage) {
        guard message.namespace == .media, let id = PayloadSummary(peeking: message.payload).requestID else { return }
        self.refreshes[id] = nil
    }

    /// These ends of senders are gone, so that an app cannot answer them.
    mutating func forget(where isGone: (SenderEnd) -> Bool) {
        guard self.isRefreshing else { return }
        self.refreshes = self.refreshes.filter { !isGone($0.value) }
    }

    /// Takes an app's answer.
    /// - Returns: what all senders are told; nil when this is no such answer.
    mutating func refreshed(by message: CastMessage, at sender: SenderEnd) -> CastMessage? {
        guard let id = PayloadSummary(peeking: message.payload).requestID, self.refreshes[id] == sender else {
            return nil
        }
        self.refreshes[id] = nil
        guard var json = message.payload.jsonObject else { return nil }
        json["requestId"] = RequestID.spontaneous.json
        return CastMessage(
            source: message.source, destination: .broadcast, namespace: message.namespace, json: json)
    }
}
