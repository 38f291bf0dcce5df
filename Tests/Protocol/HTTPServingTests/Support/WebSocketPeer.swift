import NIOCore

/// A caller that speaks the frames of a WebSocket by hand, right or wrong.
final class WebSocketPeer {
    /// A frame of the server.
    struct Frame: Equatable {
        /// The first byte: whether it is the last of its message, reserved bits, opcode.
        var first: UInt8
        var payload: ByteBuffer

        var text: String { String(buffer: self.payload) }
        /// Of a Close frame.
        var code: UInt16? { self.payload.getInteger(at: self.payload.readerIndex) }
    }

    static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    let peer: HTTPPeer
    private var bytes = ByteBuffer()

    init(_ peer: HTTPPeer) {
        self.peer = peer
    }

    /// The head of a request for a WebSocket; a header of the same name replaces one of these, and an empty one removes it.
    static func request(_ path: String = "/socket", method: String = "GET", _ headers: [String: String] = [:]) -> String
    {
        let all = [
            "Host": "a", "Upgrade": "websocket", "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": Self.key,
        ].merging(headers) { $1 }
        let lines = all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.sorted()
        return "\(method) \(path) HTTP/1.1\r\n" + lines.joined() + "\r\n"
    }

    static func request(_ headers: [String: String]) -> String { Self.request("/socket", headers) }

    /// Opens the WebSocket; what comes behind the answer is kept.
    func open(_ path: String = "/socket", _ headers: [String: String] = [:]) async -> String {
        self.peer.send(Self.request(path, headers))
        return await self.answer()
    }

    /// The head of the answer to the handshake.
    func answer() async -> String {
        while true {
            let text = String(decoding: self.bytes.readableBytesView, as: Unicode.UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n") {
                let head = String(text[..<end.upperBound])
                self.bytes.moveReaderIndex(forwardBy: head.utf8.count)
                return head
            }
            guard var piece = await self.peer.piece() else { return text }
            self.bytes.writeBuffer(&piece)
        }
    }

    /// A frame as a client sends it.
    static func frame(_ first: UInt8, _ payload: ByteBuffer, mask: [UInt8]? = [1, 2, 3, 4]) -> ByteBuffer {
        var bytes = ByteBuffer()
        bytes.writeInteger(first)
        let masked: UInt8 = mask == nil ? 0 : 0x80
        switch payload.readableBytes {
        case ...125: bytes.writeInteger(UInt8(payload.readableBytes) | masked)
        case ...0xFFFF:
            bytes.writeInteger(126 | masked)
            bytes.writeInteger(UInt16(payload.readableBytes))
        default:
            bytes.writeInteger(127 | masked)
            bytes.writeInteger(UInt64(payload.readableBytes))
        }
        if let mask { bytes.writeBytes(mask) }
        for (index, byte) in payload.readableBytesView.enumerated() {
            bytes.writeInteger(byte ^ (mask.map { $0[index % 4] } ?? 0))
        }
        return bytes
    }

    func send(_ first: UInt8, _ payload: ByteBuffer, mask: [UInt8]? = [1, 2, 3, 4]) {
        self.peer.send(Self.frame(first, payload, mask: mask))
    }

    func send(text: String) { self.send(0x81, ByteBuffer(string: text)) }

    func close(_ code: UInt16) {
        var payload = ByteBuffer()
        payload.writeInteger(code)
        self.send(0x88, payload)
    }

    /// The next frame of the server; nil when it has closed.
    func next() async -> Frame? {
        while true {
            if let frame = self.whole() { return frame }
            guard var piece = await self.peer.piece() else { return nil }
            self.bytes.writeBuffer(&piece)
        }
    }

    private func whole() -> Frame? {
        var bytes = self.bytes
        guard let first: UInt8 = bytes.readInteger(), let length: UInt8 = bytes.readInteger() else { return nil }
        let count: Int?
        switch length {
        case 126: count = bytes.readInteger(as: UInt16.self).map(Int.init)
        case 127: count = bytes.readInteger(as: UInt64.self).map(Int.init)
        default: count = Int(length)
        }
        guard let count, let payload = bytes.readSlice(length: count) else { return nil }
        self.bytes = bytes
        return Frame(first: first, payload: payload)
    }
}
