/// Things that happened, in order, for a test that waits for them.
package final class Inbox<Element: Sendable>: Sendable {
    private let stream: AsyncStream<Element>
    private let input: AsyncStream<Element>.Continuation

    /// Makes an empty inbox.
    package init() {
        (self.stream, self.input) = AsyncStream.makeStream(of: Element.self)
    }

    /// Adds one, from whatever thread.
    package func put(_ element: Element) {
        self.input.yield(element)
    }

    /// The next element; nil when the task is cancelled.
    package func next() async -> Element? {
        for await element in self.stream { return element }
        return nil
    }

    /// The next element that gives a value; those before it are passed over.
    package func next<Value>(_ pick: (Element) -> Value?) async -> Value? {
        for await element in self.stream {
            if let value = pick(element) { return value }
        }
        return nil
    }
}
