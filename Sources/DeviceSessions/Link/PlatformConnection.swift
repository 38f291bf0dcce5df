import CastWire

/// Castway's own virtual connection to a device's platform.
struct PlatformConnection {
    /// A device that restarts its platform closes the connection until it is opened anew (protocol notes, 9, 2);
    /// one that goes on closing gets a new channel instead.
    private static let maximumReopenings = 3

    private var reopenings = 0
    private var nextRequestID = 1

    /// What opens the connection and asks for the status.
    mutating func open() -> [CastMessage] {
        defer { self.nextRequestID += 1 }
        let request = ReceiverRequest.getStatus(requestID: RequestID(self.nextRequestID))
        return [
            Self.message(.connection, ConnectionPayload.connect(userAgent: "Castway").payload),
            Self.message(.receiver, request.payload),
        ]
    }

    /// What acknowledges the device's CLOSE and opens the connection again; nil when that has been tried too often.
    mutating func reopen() -> [CastMessage]? {
        guard self.reopenings < Self.maximumReopenings else { return nil }
        self.reopenings += 1
        return [Self.message(.connection, ConnectionPayload.close().payload)] + self.open()
    }

    /// What stops an app.
    mutating func stop(sessionID: String) -> CastMessage {
        defer { self.nextRequestID += 1 }
        let request = ReceiverRequest.stop(sessionID: sessionID, requestID: RequestID(self.nextRequestID))
        return Self.message(.receiver, request.payload)
    }

    private static func message(_ namespace: Namespace, _ payload: CastMessage.Payload) -> CastMessage {
        CastMessage(source: .platformSender, destination: .platformReceiver, namespace: namespace, payload: payload)
    }
}
