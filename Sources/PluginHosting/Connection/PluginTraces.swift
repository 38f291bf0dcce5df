import CastWire
import NIOCore

/// Who reads along on a plugin's wire.
struct PluginTraces {
    /// Which way a line goes.
    enum Direction: String {
        case toPlugin = "to_plugin"
        case fromPlugin = "from_plugin"
    }

    private var readers: [Int: AsyncStream<String>.Continuation] = [:]

    /// Whether anybody reads along.
    private(set) var isActive = false

    /// Adds a reader.
    mutating func add(_ id: Int, _ reader: AsyncStream<String>.Continuation) {
        self.readers[id] = reader
        self.isActive = true
    }

    /// Removes a reader.
    mutating func remove(_ id: Int) {
        self.readers[id] = nil
        self.isActive = !self.readers.isEmpty
    }

    /// Gives everybody a line, as JSON in one line; a slow reader loses its oldest.
    func record(_ direction: Direction, _ buffer: ByteBuffer, from start: Int? = nil) {
        let start = start ?? buffer.readerIndex
        var text = buffer.getString(at: start, length: buffer.writerIndex - start) ?? ""
        if text.hasSuffix("\n") { text.removeLast() }
        let now = NIODeadline.now().uptimeNanoseconds / 1_000
        let json: JSONObject = [
            "uptime_us": .number(Int(now)), "direction": .string(direction.rawValue), "line": .string(text),
        ]
        let line = JSONValue.object(json).text + "\n"
        for reader in self.readers.values { reader.yield(line) }
    }

    /// Ends the reading: the plugin's process has ended.
    mutating func finish() {
        for reader in self.readers.values { reader.finish() }
        self.readers = [:]
        self.isActive = false
    }
}
