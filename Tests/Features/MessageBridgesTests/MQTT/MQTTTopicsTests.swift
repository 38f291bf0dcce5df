import Testing

@testable import MessageBridges

@Suite struct MQTTTopicsTests {
    private let topics = MQTTTopics(prefix: "castway", gateway: "gw1")

    @Test(arguments: [
        ("hall", "hall"), ("Küche", "Küche"), ("a/b", "a%2Fb"), ("+#", "%2B%23"), ("100%", "100%25"), ("$x$", "%24x$"),
        ("a\u{0}b", "a%00b"), ("\u{85}", "%C2%85"), ("hall lamp", "hall lamp"), ("virtual:hall", "virtual:hall"),
    ])
    func namesAreSpelledInOneWay(name: String, level: String) {
        #expect(MQTTTopics.encode(name) == level)
        #expect(MQTTTopics.decode(level[...]) == name)
    }

    @Test(arguments: ["", "%2f", "%41", "%", "%4", "%GG", "%+1", "%80", "$x", "a+b", "%E2%82%AC"])
    func otherSpellingsAreNotTaken(level: String) {
        #expect(MQTTTopics.decode(level[...]) == nil)
    }

    @Test func commandsAreTold() {
        #expect(self.topics.command("castway/gw1/device/a%2Fb/set") == .set(device: "a/b"))
        #expect(self.topics.command("castway/gw1/device/hall/cmd/play") == .verb("play", device: "hall"))
        #expect(
            self.topics.command("castway/gw1/device/hall/msg/tx/com.example")
                == .message(namespace: "urn:x-cast:com.example", device: "hall"))
        #expect(self.topics.command("castway/gw1/rpc/media.play") == .call(operation: "media.play", principal: nil))
        #expect(self.topics.command("castway/gw1/rpc/me/media.play") == .call(operation: "media.play", principal: "me"))
        for other in [
            "castway/gw1", "castway/gw1/", "castway/gw2/device/hall/set", "castway/gw1/device//set",
            "castway/gw1/device/hall/set/x", "castway/gw1/device/hall/cmd/", "castway/gw1/device/hall/cmd/a/b",
            "castway/gw1/device/hall/msg/rx/a", "castway/gw1/rpc/", "castway/gw1/rpc/a/b/c", "castway/gw1/rpc//b",
            "castway/gw1/device/hall/state", "castway/gw10/rpc/a", "x/castway/gw1/rpc/a", "",
            "castway/gw1/rpc/" + String(repeating: "a", count: 2000),
        ] {
            #expect(self.topics.command(other) == nil, "\(other)")
        }
    }

    @Test func namespacesStandWithoutTheirPrefix() {
        #expect(
            self.topics.received(namespace: "urn:x-cast:com.example.chat/v1", device: "hall")
                == "castway/gw1/device/hall/msg/rx/com.example.chat%2Fv1")
        #expect(self.topics.availabilityDevice("castway/gw1/device/a%2Fb/availability") == "a/b")
        #expect(self.topics.availabilityDevice("castway/gw1/device/a/state") == nil)
    }

    @Test(arguments: [
        "castway/gw1/device/hall/set", "castway/gw2/device/hall/cmd/stop", "castway/gw1/bridge/state", "castway",
        "castway/",
        "castway/gw1/rpc/media.play", "castway/gw1/rpc-reply", "castway/gw1/rpc-reply/", "castway/gw1/rpc-reply//a",
        "castway/rpc-reply/a/set", "$SYS/x", "a/+/b", "a/#", "", "a\u{0}b", "homeassistant/device/x/config",
        "castway/\u{301}gw1/rpc-reply", String(repeating: "a", count: 1025),
    ])
    func answersDoNotGoThere(topic: String) {
        #expect(self.topics.replyFault(topic, allowed: [], others: ["homeassistant"]) != nil)
    }

    @Test func answersGoToTheirOwnTopicsAndToThoseThatAreAllowed() throws {
        let allowed = [try #require(MQTTTopicFilter("panels/+/answers")), try #require(MQTTTopicFilter("me/#"))]
        func isTaken(_ topic: String) -> Bool { self.topics.replyFault(topic, allowed: allowed) == nil }
        #expect(self.topics.replyFault("castway/gw2/rpc-reply/me") == nil)
        #expect(self.topics.replyFault("me/answers")?.contains("response_topics") == true)
        #expect(self.topics.replyFault("castwayx/gw1/device/a/set") != nil)
        #expect(isTaken("panels/1/answers") && isTaken("me") && isTaken("me/a/b"))
        #expect(!isTaken("panels/1") && !isTaken("panels/1/2/answers") && !isTaken("panels/1/answers/x"))
        #expect(!isTaken("men") && !isTaken("me\u{301}/a") && !isTaken("castway/gw1/device/a/set"))
        let all = [try #require(MQTTTopicFilter("homeassistant/#"))]
        #expect(self.topics.replyFault("homeassistant/x", allowed: all, others: ["homeassistant"]) != nil)
    }

    @Test(arguments: ["", "#", "+/a", "$SYS/#", "a//b", "a/", "a/b#", "a/#/b", "a/+b", "a\u{0}"])
    func filtersThatAreNoneAreNotTaken(_ text: String) {
        #expect(MQTTTopicFilter(text) == nil)
    }
}
