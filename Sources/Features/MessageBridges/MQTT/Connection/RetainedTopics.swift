import NIOCore

/// The topics that the broker is to keep: the newest payload of each, and which of them it does not have yet. Knows no connection.
///
/// Only the newest payload of a topic waits. A topic that is given up is cleared with an empty payload, and forgotten when the broker
/// has confirmed that.
struct RetainedTopics: Sendable {
    private var values: [String: ByteBuffer] = [:]
    private var waiting = CircularBuffer<String>()
    private var isWaiting: Set<String> = []

    /// The number of topics the broker has to be told of.
    var count: Int { self.waiting.count }

    /// Sets what a topic is to have; nothing waits when it has that.
    /// - Parameter payload: nil to clear the topic.
    mutating func set(_ topic: String, to payload: ByteBuffer?) {
        let payload = payload ?? ByteBuffer()
        guard self.values[topic] != payload else { return }
        self.values[topic] = payload
        self.wait(topic)
    }

    /// Everything is published anew, to a broker that may have lost it.
    mutating func beginAnew() {
        self.waiting = CircularBuffer(self.values.keys.sorted())
        self.isWaiting = Set(self.values.keys)
    }

    /// Publishes what stands below a topic anew, for subscribers that have lost it.
    mutating func repeatAll(below prefix: String) {
        for topic in self.values.keys.sorted() where topic.hasPrefix(prefix) { self.wait(topic) }
    }

    /// Takes what is to be published next; the payload is empty when the topic is cleared.
    mutating func next() -> (topic: String, payload: ByteBuffer)? {
        while let topic = self.waiting.popFirst() {
            self.isWaiting.remove(topic)
            if let payload = self.values[topic] { return (topic, payload) }
        }
        return nil
    }

    /// The broker has what was published: a topic that was cleared is forgotten.
    mutating func acknowledge(_ topic: String) {
        guard !self.isWaiting.contains(topic), self.values[topic]?.readableBytes == 0 else { return }
        self.values[topic] = nil
    }

    private mutating func wait(_ topic: String) {
        if self.isWaiting.insert(topic).inserted { self.waiting.append(topic) }
    }
}
