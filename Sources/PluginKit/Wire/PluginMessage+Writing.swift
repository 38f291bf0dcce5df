import CastWire
import NIOCore

extension PluginMessage {
    /// Appends the message as an object.
    func write(to buffer: inout ByteBuffer) {
        buffer.writeStaticString(#"{"id":"#)
        buffer.writeJSON(self.id)
        buffer.writeStaticString(#","device":"#)
        buffer.writeJSON(self.device)
        switch self.direction {
        case .toReceiver: buffer.writeStaticString(#","direction":"to_receiver""#)
        case .toSender: buffer.writeStaticString(#","direction":"to_sender""#)
        }
        if let connection {
            buffer.writeStaticString(#","connection":"#)
            buffer.writeDecimal(connection)
        }
        if let sender {
            buffer.writeStaticString(#","sender":"#)
            buffer.writeJSON(sender)
        }
        if let session {
            buffer.writeStaticString(#","session":"#)
            buffer.writeJSON(session)
        }
        if let app {
            buffer.writeStaticString(#","app":"#)
            buffer.writeJSON(app)
        }
        buffer.writeStaticString(#","source":"#)
        buffer.writeJSON(self.source.rawValue)
        buffer.writeStaticString(#","destination":"#)
        buffer.writeJSON(self.destination.rawValue)
        buffer.writeStaticString(#","namespace":"#)
        buffer.writeJSON(self.namespace.rawValue)
        buffer.writeStaticString(",")
        self.payload.writeMember(to: &buffer)
        if let type {
            buffer.writeStaticString(#","type":"#)
            buffer.writeJSON(type)
        }
        if let requestID {
            buffer.writeStaticString(#","requestId":"#)
            JSONWriter.write(requestID.json, to: &buffer)
        }
        buffer.writeStaticString("}")
    }
}
