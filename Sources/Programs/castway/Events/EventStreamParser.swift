import NIOCore

/// Reads server-sent events (HTML, 9.2.6) from bytes as they come.
struct EventStreamParser {
    struct Event: Equatable {
        /// `message` for one without a name.
        var name: String
        var data: String
    }

    /// Longer than any event that the gateway writes.
    private static let maximumLine = 16 << 20

    /// The id of the last event, from which the reader can go on; nil until one has come.
    private(set) var lastID: String?
    /// How long to wait before the next attempt, in milliseconds, as the server wants it.
    private(set) var retry: Int?
    private var rest = ByteBuffer()
    private var name = ""
    private var data: [String] = []

    /// Begins with a new line, as a new connection does.
    mutating func connectionEnded() { (self.rest, self.name, self.data) = (ByteBuffer(), "", []) }

    /// Adds bytes.
    /// - Returns: the events that are complete now; nil for a line without end.
    mutating func add(_ bytes: ByteBuffer) -> [Event]? {
        self.rest.writeImmutableBuffer(bytes)
        var events: [Event] = []
        while var line = self.rest.readLine() {
            if line.hasSuffix("\r") { line.removeLast() }
            if let event = self.line(line) { events.append(event) }
        }
        self.rest.discardReadBytes()
        return self.rest.readableBytes > Self.maximumLine ? nil : events
    }

    private mutating func line(_ line: String) -> Event? {
        guard !line.isEmpty else { return self.dispatch() }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? String(parts[1].hasPrefix(" ") ? parts[1].dropFirst() : parts[1]) : ""
        switch parts[0] {
        case "event": self.name = value
        case "data": self.data.append(value)
        case "id": self.lastID = value
        case "retry": self.retry = Int(value) ?? self.retry
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> Event? {
        defer { (self.name, self.data) = ("", []) }
        guard !self.data.isEmpty else { return nil }
        return Event(name: self.name.isEmpty ? "message" : self.name, data: self.data.joined(separator: "\n"))
    }
}
