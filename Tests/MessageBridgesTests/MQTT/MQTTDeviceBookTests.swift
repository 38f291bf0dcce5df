import CastWire
import Testing

@testable import MessageBridges

@Suite struct MQTTDeviceBookTests {
    private func event(_ type: String, _ device: String, _ data: JSONObject = [:], frame: String? = nil) -> JSONObject {
        var event: JSONObject = ["type": .string(type), "device": .string(device), "data": .object(data)]
        if let frame { event["frame"] = .string(frame) }
        return event
    }

    private func listed(_ name: String) -> JSONObject {
        [
            "device": [
                "uniqueId": "cast:1", "deviceId": "1", "friendlyName": .string(name), "modelName": "TV",
                "networkAddress": "10.0.0.2",
            ]
        ]
    }

    @Test func aRealDeviceIsToldByItsSession() throws {
        var book = MQTTDeviceBook()
        book.receive(self.event("device.inserted", "wall", self.listed("Wall")))
        #expect(book.documents(of: "wall")?.availability == "online")
        book.receive(self.event("device.offline", "wall", ["reason": "gone"]))
        #expect(book.documents(of: "wall")?.availability == "offline")
        book.receive(self.event("device.online", "wall"))
        book.receive(
            self.event(
                "session.did_start", "wall", ["session": 3, "app": "CC1AD845", "state": "connected", "session_id": "s"])
        )
        book.receive(self.event("session.volume", "wall", ["session": 3, "level": 0.25, "muted": true]))
        book.receive(
            self.event(
                "media.session_status", "wall",
                [
                    "session": 3, "via": "own", "status": ["playerState": "PAUSED"], "position": 5.5, "at": "t",
                    "rate": 0,
                ]))
        let documents = try #require(book.documents(of: "wall"))
        #expect(documents.availability == "online" && documents.friendlyName == "Wall" && documents.model == "TV")
        #expect(documents.state.double("volume") == 0.25 && documents.state.bool("muted") == true)
        #expect(documents.state.object("app")?.string("id") == "CC1AD845" && documents.state.string("session") == "s")
        #expect(documents.media.string("state") == "paused" && documents.media.double("position") == 5.5)
        #expect(documents.info.string("address") == "10.0.0.2")
        // What the journal tells at the end of a session, in this order or the other.
        book.receive(self.event("session.did_end", "wall", ["session": 3, "app": "CC1AD845", "state": "disconnected"]))
        book.receive(self.event("session.volume", "wall", ["session": 3]))
        book.receive(self.event("media.session_status", "wall", ["session": 3, "via": "own"]))
        #expect(book.documents(of: "wall")?.media == ["state": "idle"])
        #expect(book.documents(of: "wall")?.state["app"] == .null)
        book.receive(self.event("device.removed", "wall", self.listed("Wall")))
        book.receive(self.event("device.released", "wall"))
        #expect(book.documents(of: "wall") == nil)
        #expect(book.takeChanged() == ["wall"])
        #expect(book.takeChanged().isEmpty)
    }

    @Test(arguments: [
        ("REPEAT_OFF", "off"), ("REPEAT_ALL", "all"), ("REPEAT_SINGLE", "single"),
        ("REPEAT_ALL_AND_SHUFFLE", "all_and_shuffle"),
    ])
    func theRepeatModeIsInTheWordsOfOperations(wire: String, word: String) {
        var book = MQTTDeviceBook()
        book.receive(self.event("device.inserted", "wall", self.listed("Wall")))
        book.receive(
            self.event(
                "media.session_status", "wall",
                ["session": 3, "via": "own", "status": ["playerState": "PLAYING", "repeatMode": .string(wire)]]))
        #expect(book.documents(of: "wall")?.media.string("repeat_mode") == word)
    }

    @Test func twoOfOneNameAreOneAndTheRealOneIsMeant() {
        var book = MQTTDeviceBook()
        book.receive(self.event("virtual_device.added", "hall"))
        #expect(book.reference(to: "hall") == "hall")
        book.receive(self.event("device.offline", "hall"))
        #expect(book.reference(to: "hall") == "real:hall")
        #expect(book.documents(of: "hall")?.info.array("kinds") == ["virtual", "real"])
        book.receive(self.event("virtual_device.removed", "hall"))
        #expect(book.documents(of: "hall")?.availability == "offline")
    }

    @Test func whatASnapshotDoesNotHaveIsGone() {
        var book = MQTTDeviceBook()
        book.receive(self.event("virtual_device.added", "a"))
        book.receive(self.event("virtual_device.added", "b"))
        #expect(book.takeChanged() == ["a", "b"])
        book.receive(["frame": "resync", "reason": "too_old"])
        book.receive(self.event("virtual_device.added", "b", frame: "snapshot"))
        #expect(book.takeChanged().isEmpty, "nothing is gone before the snapshot is complete")
        book.receive(["frame": "synced", "seq": 9])
        #expect(book.takeChanged() == ["a", "b"])
        #expect(!book.has("a") && book.has("b"))
    }

    @Test(
        arguments: [
            ["type": 1, "device": "a"], ["type": "session.volume", "device": "a", "data": ["session": "x"]],
            ["frame": "gap", "type": "device.online", "device": "a"], [:], ["type": "receiver.status"],
            ["type": "device.inserted", "data": [:]],
        ] as [JSONObject])
    func whatIsNotUnderstoodIsPassedOver(frame: JSONObject) {
        var book = MQTTDeviceBook()
        book.receive(frame)
        #expect(book.count == 0)
    }
}
