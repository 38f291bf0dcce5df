import CastWire
import NIOCore

extension PluginMessage {
    /// A payload up to this is written with all the rest at once.
    static let shortPayload = 8_192

    /// How much the message takes at most, without a payload that is not short text.
    var room: Int {
        let route = self.route
        var room =
            256 + 2 * LineCursor.roomForNumber + LineCursor.room(for: self.id) + LineCursor.room(for: route.device)
            + LineCursor.room(for: route.sender) + LineCursor.room(for: route.session)
            + LineCursor.room(for: route.app) + LineCursor.room(for: route.source.rawValue)
            + LineCursor.room(for: route.destination.rawValue) + LineCursor.room(for: route.namespace.rawValue)
            + LineCursor.room(for: self.type)
        if let text = self.shortText { room += LineCursor.room(forBytes: text.readableBytes) }
        return room
    }

    /// The payload, when it is short text.
    private var shortText: ByteBuffer? {
        guard case .text(let text) = self.payload, text.readableBytes <= Self.shortPayload,
            (try? UTF8Span(validating: text.readableBytesUInt8Span)) != nil
        else { return nil }
        return text
    }

    /// Writes the message as an object, as far as its payload and with it.
    /// - Returns: false when the payload is to be written by other means, and is still missing.
    func writeFront(_ cursor: inout LineCursor) -> Bool {
        let route = self.route
        cursor.raw(#"{"id":"#)
        cursor.string(self.id)
        cursor.raw(#","device":"#)
        cursor.string(route.device)
        switch route.direction {
        case .toReceiver: cursor.raw(#","direction":"to_receiver""#)
        case .toSender: cursor.raw(#","direction":"to_sender""#)
        }
        if let connection = route.connection {
            cursor.raw(#","connection":"#)
            cursor.number(connection)
        }
        if let sender = route.sender {
            cursor.raw(#","sender":"#)
            cursor.string(sender)
        }
        if let session = route.session {
            cursor.raw(#","session":"#)
            cursor.string(session)
        }
        if let app = route.app {
            cursor.raw(#","app":"#)
            cursor.string(app)
        }
        cursor.raw(#","source":"#)
        cursor.string(route.source.rawValue)
        cursor.raw(#","destination":"#)
        cursor.string(route.destination.rawValue)
        cursor.raw(#","namespace":"#)
        cursor.string(route.namespace.rawValue)
        guard let text = self.shortText else {
            cursor.raw(",")
            return false
        }
        cursor.raw(#","payload":"#)
        cursor.string(text.readableBytesUInt8Span)
        return true
    }

    /// Appends what stands behind the payload.
    func writeBack(to buffer: inout ByteBuffer) {
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

    /// Appends the message as an object.
    func write(to buffer: inout ByteBuffer) {
        var isWritten = false
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: self.room) { memory in
            var cursor = LineCursor(memory)
            isWritten = self.writeFront(&cursor)
            return cursor.count
        }
        if !isWritten { self.payload.writeMember(to: &buffer) }
        self.writeBack(to: &buffer)
    }
}
