import CastWire
import NIOCore

@testable import MessageBridges

/// Whatever is published to a topic, it is a command of the device that the topic names, or none; and an answer goes nowhere but where
/// answers may go.
///
/// The input: the length of the topic behind the gateway's, the topic, the length of a response topic, the response topic, the payload.
package enum MQTTCommandTarget: FuzzTarget {
    /// `mqtt-command`
    package static let name = "mqtt-command"

    private static let topics = MQTTTopics(prefix: "castway", gateway: "gw1")
    private static let reserved = ["homeassistant"]
    private static let allowed = [MQTTTopicFilter("me/#"), MQTTTopicFilter("homeassistant/#")].compactMap(\.self)

    /// Reads the message, and takes the command apart.
    package static func run(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let topic = "\(Self.topics.root)/\(String(decoding: reader.bytes(Int(reader.byte())), as: UTF8.self))"
        let response = String(decoding: reader.bytes(Int(reader.byte())), as: UTF8.self)
        let message = MQTTInbound(
            topic: topic, payload: ByteBuffer(bytes: reader.rest()), responseTopic: response.isEmpty ? nil : response,
            correlation: ByteBuffer(string: "c"))
        let reply: MQTTCommand.Reply?
        switch Self.command(message) {
        case .success(let command):
            reply = command.reply
            try Self.check(command, Self.topics.command(topic), topic)
        case .failure(let refusal):
            reply = refusal.reply
        }
        guard let reply else { return }
        let fault = Self.topics.replyFault(reply.topic, allowed: Self.allowed, others: Self.reserved)
        try Violation.unless(fault == nil, "an answer to '\(reply.topic)', which \(fault ?? "")")
    }

    private static func command(_ message: MQTTInbound) -> Result<MQTTCommand, MQTTCommand.Refusal> {
        Result { () throws(MQTTCommand.Refusal) in
            try MQTTCommand(
                message, topics: Self.topics, responseTopics: Self.allowed, reservedPrefixes: Self.reserved,
                reference: { "virtual:\($0)" })
        }
    }

    private static func check(_ command: MQTTCommand, _ target: MQTTTopics.Command?, _ topic: String) throws {
        guard let target else { throw Violation("'\(topic)' is no command, and is one") }
        guard let device = target.device else { return }
        let devices = command.input.members.filter { $0.name == "device" }
        try Violation.unless(
            devices.map(\.value) == [.string("virtual:\(device)")], "'\(topic)' is about \(devices.map(\.value))")
        try Violation.unless(command.principal == nil, "'\(topic)' has the principal \(command.principal ?? "")")
        // Each name has one spelling.
        let encoded = MQTTTopics.encode(device)
        try Violation.unless(
            topic.utf8.starts(with: "\(Self.topics.root)/device/\(encoded)/".utf8), "'\(topic)' names '\(encoded)'")
        try Violation.unless(!encoded.contains { "+#/\0".contains($0) }, "'\(encoded)' is more than a level")
    }
}
