import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayTesting
import NIOCore

@testable import MessageBridges

/// Whatever a sender says in a channel, the body for a back end is one JSON object that says what it was, and nothing that the sender
/// wrote stands anywhere but in its place.
///
/// The input: whether the payload is binary, the lengths of namespace and source, namespace and source, the payload.
package enum BridgedEventTarget: FuzzTarget {
    /// `bridged-event`
    package static let name = "bridged-event"

    private static let topics = MQTTTopics(prefix: "castway", gateway: "gw1")

    /// Makes the bodies for a webhook and the broker.
    package static func run(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let isBinary = reader.once(in: 4)
        let namespace = "urn:x-cast:" + String(decoding: reader.bytes(reader.number(below: 64)), as: UTF8.self)
        let source = String(decoding: reader.bytes(reader.number(below: 32)), as: UTF8.self)
        let bytes = ByteBuffer(bytes: reader.rest())
        let message = RoutedMessage(
            CastMessage(
                source: EndpointID(rawValue: source), destination: "web-1", namespace: Namespace(rawValue: namespace),
                payload: isBinary ? .binary(bytes) : .text(bytes)), direction: .toReceiver, device: .test(),
            connection: ConnectionID(rawValue: 1))
        try Self.check(BridgedEvent.body(of: message, at: 0), message, namespace, source)
        let published = MQTTEventMessage(message)
        let topic = Self.topics.received(namespace: namespace, device: message.device.name)
        let device = MQTTTopics.encode(message.device.name)
        try Violation.unless(
            topic.hasPrefix("\(Self.topics.root)/device/\(device)/msg/rx/")
                && topic.split(separator: "/", omittingEmptySubsequences: false).count == 7
                && !topic.contains { "+#\0".contains($0) }, "the topic is '\(topic)'")
        guard case .object(let json)? = try? JSONReader.read(published.body) else {
            if Self.isDeep(bytes) { return }
            throw Violation("what is published is no object")
        }
        try Violation.unless(json.members.count { $0.name == "namespace" } == 1, "two namespaces")
    }

    /// Whether a payload is JSON that is so deep that nothing around it is read here any more.
    private static func isDeep(_ payload: ByteBuffer) -> Bool {
        guard (try? JSONReader.read(payload)) != nil else { return false }
        var wrapped = ByteBuffer(string: "[[")
        wrapped.writeImmutableBuffer(payload)
        wrapped.writeString("]]")
        return (try? JSONReader.read(wrapped)) == nil
    }

    private static func check(
        _ body: ByteBuffer, _ message: RoutedMessage, _ namespace: String, _ source: String
    ) throws {
        guard case .object(let json)? = try? JSONReader.read(body) else {
            if Self.isDeep(message.message.payload.bytes) { return }
            throw Violation("the body is no object: \(String(buffer: body))")
        }
        try Violation.unless(json.members.map(\.name) == ["type", "timestamp", "device", "data"], "\(json)")
        try Violation.unless(json.string("type") == "channel.message", "another type")
        guard let data = json.object("data") else { throw Violation("no data") }
        try Violation.unless(data.string("namespace") == namespace, "another namespace")
        try Violation.unless(data.string("source") == source, "another source")
        try Violation.unless(data.string("via") != nil, "no way")
        let content = data.members.count { ["json", "text", "base64"].contains($0.name) }
        try Violation.unless(content == 1 && data.members.count == 6, "the payload stands in \(content) places")
    }
}
