import CastWire
import Testing

@testable import MessageBridges

@Suite struct MQTTDeviceTableTests {
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
        var book = MQTTDeviceTable()
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

    private func status(_ level: Double, app: String? = nil, session: String = "s") -> JSONObject {
        var status: JSONObject = ["volume": ["level": .number(level), "muted": false]]
        if let app {
            status["applications"] = [
                ["appId": .string(app), "displayName": "Player", "sessionId": .string(session)]
            ]
        }
        return ["status": .object(status)]
    }

    @Test func aRealDeviceIsToldAsItSaysItselfWhoeverChangedIt() throws {
        var book = MQTTDeviceTable()
        book.receive(self.event("device.online", "wall"))
        book.receive(self.event("device.status", "wall", self.status(0.8, app: "233637DE")))
        let told = try #require(book.documents(of: "wall"))
        #expect(told.state.double("volume") == 0.8 && told.state.bool("muted") == false)
        #expect(told.state["app"] == ["id": "233637DE", "name": "Player"] && told.state.string("session") == "s")
        // What a sender of its own changes beside the gateway's session comes to the device's status first.
        book.receive(
            self.event(
                "session.did_start", "wall", ["session": 3, "app": "CC1AD845", "state": "connected", "session_id": "o"])
        )
        book.receive(self.event("session.volume", "wall", ["session": 3, "level": 0.25, "muted": true]))
        book.receive(self.event("device.status", "wall", self.status(0.3, app: "CC1AD845", session: "o")))
        #expect(book.documents(of: "wall")?.state.double("volume") == 0.3)
        #expect(book.documents(of: "wall")?.state.object("app")?.string("id") == "CC1AD845")
        book.receive(self.event("session.did_end", "wall", ["session": 3, "state": "disconnected"]))
        book.receive(self.event("device.status", "wall", self.status(0.3)))
        #expect(book.documents(of: "wall")?.state["app"] == .null)
        // Out of reach it runs nothing, and its volume is the last that it told.
        book.receive(self.event("device.status", "wall", self.status(0.4, app: "233637DE")))
        book.receive(self.event("device.offline", "wall", ["reason": "gone"]))
        #expect(book.documents(of: "wall")?.state["app"] == .null)
        #expect(book.documents(of: "wall")?.state.double("volume") == 0.4)
        book.receive(self.event("device.released", "wall"))
        #expect(book.documents(of: "wall") == nil)
    }

    @Test func everyDeviceHasAFriendlyNameAndAModelWhereOneIsKnown() throws {
        var book = MQTTDeviceTable()
        book.receive(self.event("device.online", "wall"))
        #expect(book.documents(of: "wall")?.info.string("friendly_name") == "wall")
        #expect(book.documents(of: "wall")?.info["model"] == nil)
        book.receive(
            self.event("virtual_device.described", "hall", ["friendly_name": "The hall", "model": "Chromecast"]))
        book.receive(self.event("virtual_device.added", "hall"))
        let hall = try #require(book.documents(of: "hall"))
        #expect(hall.info.string("friendly_name") == "The hall" && hall.info.string("model") == "Chromecast")
        #expect(hall.friendlyName == "The hall" && hall.model == "Chromecast")
        book.receive(self.event("device.inserted", "hall", self.listed("Hall TV")))
        #expect(book.documents(of: "hall")?.info.string("friendly_name") == "Hall TV")
        #expect(book.documents(of: "hall")?.model == "TV")
    }

    @Test(arguments: [
        ("REPEAT_OFF", "off"), ("REPEAT_ALL", "all"), ("REPEAT_SINGLE", "single"),
        ("REPEAT_ALL_AND_SHUFFLE", "all_and_shuffle"),
    ])
    func theRepeatModeIsInTheWordsOfOperations(wire: String, word: String) {
        var book = MQTTDeviceTable()
        book.receive(self.event("device.inserted", "wall", self.listed("Wall")))
        book.receive(
            self.event(
                "media.session_status", "wall",
                ["session": 3, "via": "own", "status": ["playerState": "PLAYING", "repeatMode": .string(wire)]]))
        #expect(book.documents(of: "wall")?.media.string("repeat_mode") == word)
    }

    @Test func twoOfOneNameAreOneAndTheRealOneIsMeant() {
        var book = MQTTDeviceTable()
        book.receive(self.event("virtual_device.added", "hall"))
        #expect(book.reference(to: "hall") == "hall")
        book.receive(self.event("device.offline", "hall"))
        #expect(book.reference(to: "hall") == "real:hall")
        #expect(book.documents(of: "hall")?.info.array("kinds") == ["virtual", "real"])
        book.receive(self.event("virtual_device.removed", "hall"))
        #expect(book.documents(of: "hall")?.availability == "offline")
    }

    @Test func whatASnapshotDoesNotHaveIsGone() {
        var book = MQTTDeviceTable()
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
        var book = MQTTDeviceTable()
        book.receive(frame)
        #expect(book.count == 0)
    }
}
