import CastWire
import GatewayOperations
import NIOCore
import Testing

@testable import MessageBridges

/// What the payloads of commands stand for.
@Suite(.timeLimit(.minutes(1))) struct MQTTCommandTests {
    @Test(
        arguments: [
            ("volume", "0.4", ["device": "hall", "level": 0.4]), ("volume", "+0.05", ["device": "hall", "by": 0.05]),
            ("volume", "-0.05", ["device": "hall", "by": -0.05]), ("volume", "up", ["device": "hall", "steps": 1]),
            ("volume", "DOWN", ["device": "hall", "steps": -1]), ("mute", "", ["device": "hall", "muted": true]),
            ("mute", "off", ["device": "hall", "muted": false]),
            ("mute", "toggle", ["device": "hall", "muted": "toggle"]),
        ] as [(String, String, JSONObject)])
    func volumeAndSound(verb: String, payload: String, input: JSONObject) throws {
        let topics = MQTTTopics(prefix: "castway", gateway: "gw1")
        let command = try MQTTCommand(
            MQTTInbound(topic: "castway/gw1/device/hall/cmd/\(verb)", payload: ByteBuffer(string: payload)),
            topics: topics, reservedPrefixes: []
        ) { $0 }
        #expect(command.operation == "volume.set")
        #expect(command.input == input)
    }
}
