import CastWire
import GatewayCore

extension AppChannel {
    /// What an event of the channel says: all that is known of it, so that the newest stands for those before it.
    func content(of change: AppChannelChange) -> EventContent {
        var data: JSONObject = [
            "namespace": .string(self.namespace.rawValue), "app": .string(self.app.rawValue),
            "session_id": .string(self.sessionID),
        ]
        let id: String
        switch self.owner {
        case .sender(let connection, let pair, let address):
            data["connection"] = .number(Int(truncatingIfNeeded: connection.rawValue))
            data["source"] = .string(pair.peer.rawValue)
            data["sender"] = .string(address)
            id = "\(connection) \(pair.peer) \(pair.local) \(self.namespace)"
        case .session(let number):
            data["session"] = .number(number)
            id = "s\(number) \(self.namespace)"
        }
        switch change {
        case .connected, .writable: data["writable"] = .bool(self.isWritable)
        case .disconnected(let reason): data["reason"] = .string(reason)
        }
        return EventContent(change.name, device: self.device, id: id, data)
    }
}
