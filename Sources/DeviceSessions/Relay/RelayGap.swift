import CastWire

/// A time in which the device is out of reach and its senders do not know it yet; and what is asked when it is back.
struct RelayGap {
    /// Numbers that senders do not use for their requests, since they count from one.
    private static let firstRequestID = 1_900_000_000
    /// There is one app on a device, or two for a moment.
    private static let maximumRefreshes = 8

    /// True from the loss until the device is back, or the senders are told.
    private(set) var isOpen = false
    private var refreshes: [RequestID: SenderIDs.North] = [:]
    private var nextRequestID = Self.firstRequestID

    /// True while an app has not said yet how it stands.
    var isRefreshing: Bool { !self.refreshes.isEmpty }

    mutating func begin() {
        self.isOpen = true
        self.refreshes = [:]
    }

    mutating func end() {
        self.isOpen = false
    }

    /// The device is gone for good, as far as senders are concerned.
    mutating func clear() {
        self.isOpen = false
        self.refreshes = [:]
    }

    /// Asks an app how playback stands, in the name of a sender's end that is connected to it.
    /// - Returns: nil when too many have been asked already.
    mutating func refresh(_ transport: EndpointID, for north: SenderIDs.North) -> CastMessage? {
        guard self.refreshes.count < Self.maximumRefreshes else { return nil }
        self.nextRequestID += 1
        let id = RequestID(self.nextRequestID)
        self.refreshes[id] = north
        return CastMessage(
            source: north.end, destination: transport, namespace: .media,
            json: ["type": "GET_STATUS", "requestId": id.json])
    }

    /// An app answered to all, as some do: everybody has heard how it stands.
    mutating func heardByAll(_ message: CastMessage) {
        guard message.namespace == .media, let id = PayloadSummary(peeking: message.payload).requestID else { return }
        self.refreshes[id] = nil
    }

    /// Nobody is there any more whom an app could answer.
    mutating func forget(_ isGone: (SenderIDs.North) -> Bool) {
        guard self.isRefreshing else { return }
        self.refreshes = self.refreshes.filter { !isGone($0.value) }
    }

    /// Takes an app's answer.
    /// - Returns: what all senders are told; nil when this is no such answer.
    mutating func refreshed(by message: CastMessage, at north: SenderIDs.North) -> CastMessage? {
        guard let id = PayloadSummary(peeking: message.payload).requestID, self.refreshes[id] == north else {
            return nil
        }
        self.refreshes[id] = nil
        guard var json = message.payload.jsonObject else { return nil }
        json["requestId"] = RequestID.spontaneous.json
        return CastMessage(
            source: message.source, destination: .broadcast, namespace: message.namespace, json: json)
    }
}
