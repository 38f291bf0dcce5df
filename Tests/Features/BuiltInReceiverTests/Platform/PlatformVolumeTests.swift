import CastWire
import GatewayConfig
import Testing

@testable import BuiltInReceiver

@Suite struct PlatformVolumeTests {
    private func volume(_ bench: inout PlatformBench) -> JSONObject? {
        bench.send(["type": "GET_STATUS", "requestId": 99]).first?.status?.volume?.json
    }

    @Test func changesWhatIsGivenAndTellsEveryone() {
        var bench = PlatformBench()
        let louder = bench.send(["type": "SET_VOLUME", "requestId": 2, "volume": ["level": 0.95]])
        #expect(louder.summaries == ["receiver-0->all RECEIVER_STATUS 0", "sender-0@c1 RECEIVER_STATUS 2"])
        // Devices keep single precision.
        #expect(louder.last?.status?.volume?.json["level"]?.text == "0.95")
        #expect(louder.first?.status?.volume?.json["level"]?.text == "0.95")

        let muted = bench.send(["type": "SET_VOLUME", "requestId": 3, "volume": ["muted": true]])
        #expect(muted.last?.status?.volume?.muted == true)
        #expect(muted.last?.status?.volume?.json["level"]?.text == "0.95")

        let both = bench.send(["type": "SET_VOLUME", "requestId": 4, "volume": ["level": 1, "muted": false]])
        #expect(both.last?.status?.volume?.muted == false)
        #expect(both.last?.status?.volume?.level == 1)
    }

    @Test(arguments: [(5, 1), (-2, 0), (1e300, 1)] as [(Double, Double)])
    func staysInRange(sent: Double, kept: Double) {
        var bench = PlatformBench()
        let actions = bench.send(["type": "SET_VOLUME", "requestId": 2, "volume": ["level": .number(sent)]])
        #expect(actions.last?.status?.volume?.level == kept)
    }

    @Test(arguments: [
        #""loud""#, #"{"level":"0.5"}"#, #"{"level":1e999}"#, #"{"level":-1e999}"#, #"{"level":true}"#,
        #"{"muted":"yes"}"#, #"{"muted":1}"#, #"{"level":0.9,"muted":[]}"#, #"{"level":{}}"#, #"null"#, #"[]"#,
    ])
    func refusesNonsense(literal: String) throws {
        var bench = PlatformBench()
        let actions = bench.send(["type": "SET_VOLUME", "requestId": 2, "volume": try JSONReader.read(literal)])
        #expect(actions.summaries == ["sender-0@c1 INVALID_REQUEST 2"])
        #expect(actions.first?.json.string("reason") == "INVALID_PARAMS")
        #expect(self.volume(&bench)?.double("level") == 0.5)
        #expect(self.volume(&bench)?.bool("muted") == false)
    }

    @Test func tellsNobodyWhenNothingChanges() {
        var bench = PlatformBench()
        let same = bench.send(["type": "SET_VOLUME", "requestId": 2, "volume": ["level": 0.5, "muted": .null]])
        #expect(same.summaries == ["sender-0@c1 RECEIVER_STATUS 2"])
        let nothing = bench.send(["type": "SET_VOLUME", "requestId": 3, "volume": [:]])
        #expect(nothing.summaries == ["sender-0@c1 RECEIVER_STATUS 3"])
    }

    @Test func actsWithoutAnIDToo() {
        var bench = PlatformBench()
        let actions = bench.send(["type": "SET_VOLUME", "volume": ["level": 0.25]])
        #expect(actions.summaries == ["receiver-0->all RECEIVER_STATUS 0"])
        #expect(self.volume(&bench)?.double("level") == 0.25)
    }

    @Test func aFixedVolumeIsFixed() {
        var bench = PlatformBench(
            volume: VolumeConfiguration {
                $0.control = .fixed
                $0.level = 1
            })
        let actions = bench.send(["type": "SET_VOLUME", "requestId": 2, "volume": ["level": 0.1, "muted": true]])
        #expect(actions.summaries == ["sender-0@c1 RECEIVER_STATUS 2"])
        #expect(actions.first?.status?.volume?.level == 1)
        #expect(actions.first?.status?.volume?.muted == false)
        #expect(actions.first?.status?.volume?.controlType == .fixed)
    }

    @Test func showsTheConfiguredControlAndStep() {
        var bench = PlatformBench(
            volume: VolumeConfiguration {
                $0.control = .master
                $0.level = 0.25
                $0.step = 0.5
            })
        let volume = self.volume(&bench)
        #expect(volume == ["controlType": "master", "level": 0.25, "muted": false, "stepInterval": 0.5])
    }
}
