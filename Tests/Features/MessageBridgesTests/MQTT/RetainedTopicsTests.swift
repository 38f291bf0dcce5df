import NIOCore
import Testing

@testable import MessageBridges

@Suite struct RetainedTopicsTests {
    private func text(_ next: (topic: String, payload: ByteBuffer)?) -> String? {
        next.map { "\($0.topic)=\(String(buffer: $0.payload))" }
    }

    @Test func onlyTheNewestWaits() {
        var topics = RetainedTopics()
        topics.set("a", to: ByteBuffer(string: "1"))
        topics.set("b", to: ByteBuffer(string: "1"))
        topics.set("a", to: ByteBuffer(string: "2"))
        #expect(topics.count == 2)
        #expect(self.text(topics.next()) == "a=2")
        #expect(self.text(topics.next()) == "b=1")
        #expect(topics.next() == nil)
        topics.set("a", to: ByteBuffer(string: "2"))
        #expect(topics.count == 0, "what the broker has is not sent again")
    }

    @Test func aBrokerThatComesBackGetsEverything() {
        var topics = RetainedTopics()
        topics.set("b", to: ByteBuffer(string: "1"))
        topics.set("a", to: ByteBuffer(string: "1"))
        while topics.next() != nil {}
        topics.beginAnew()
        #expect(self.text(topics.next()) == "a=1")
        #expect(self.text(topics.next()) == "b=1")
    }

    @Test func aTopicIsForgottenWhenTheBrokerHasClearedIt() {
        var topics = RetainedTopics()
        topics.set("a", to: nil)
        #expect(self.text(topics.next()) == "a=")
        topics.beginAnew()
        #expect(self.text(topics.next()) == "a=", "the connection was lost before the broker had it")
        topics.acknowledge("a")
        topics.beginAnew()
        #expect(topics.next() == nil)
        topics.set("a", to: ByteBuffer(string: "1"))
        _ = topics.next()
        topics.set("a", to: nil)
        topics.acknowledge("a")
        #expect(self.text(topics.next()) == "a=", "the acknowledgement was that of the value before")
    }
}
