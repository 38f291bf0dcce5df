import CastWire
import GatewayCore

extension MirroringChange {
    /// What the event says.
    var data: JSONObject {
        switch self {
        case .started(let stream): return stream.data
        case .ended(let stream, let reason):
            var data = stream.data
            data["reason"] = .string(reason.rawValue)
            data["packets"] = .number(Int(clamping: stream.packets.toDevice &+ stream.packets.toSender))
            data["bytes"] = .number(Int(clamping: stream.bytes.toDevice &+ stream.bytes.toSender))
            data["dropped"] = .number(Int(clamping: stream.dropped))
            data["drops"] = .object(
                JSONObject(stream.drops.sorted { $0.key < $1.key }.map { ($0.key, .number(Int(clamping: $0.value))) }))
            return data
        case .refused(let sender, let app, let reason):
            var data = JSONObject()
            if let sender { data["sender"] = .string(sender) }
            if let app { data.add(app) }
            data["reason"] = .string(reason)
            return data
        }
    }
}

extension MirroringStream {
    fileprivate var data: JSONObject {
        var data: JSONObject = [
            "connection": .number(Int(truncatingIfNeeded: self.connection.rawValue)), "sender": .string(self.sender),
        ]
        if let app { data.add(app) }
        data["port"] = .number(self.port)
        data["device_port"] = .number(self.devicePort)
        return data
    }
}

extension JSONObject {
    fileprivate mutating func add(_ app: SessionFacts) {
        self["app"] = .string(app.appID.rawValue)
        self["session_id"] = .string(app.sessionID)
    }
}
