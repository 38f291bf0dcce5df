import CastWire
import Foundation
import Synchronization
import Testing

/// Another client of a broker: paho-mqtt, which shares nothing with what Castway uses.
final class MQTTPeer: Sendable {
    private static let script = """
        import base64, json, sys, threading
        import paho.mqtt.client as mqtt
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties
        from paho.mqtt.subscribeoptions import SubscribeOptions
        options = json.loads(sys.argv[1])
        v5 = options.get("version", 5) == 5
        def out(**what):
            sys.stdout.write(json.dumps(what) + "\\n"); sys.stdout.flush()
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=options.get("id", ""),
            protocol=mqtt.MQTTv5 if v5 else mqtt.MQTTv311)
        if "username" in options: client.username_pw_set(options["username"], options.get("password"))
        client.max_inflight_messages_set(1000)
        def text(data):
            try: return {"text": data.decode()}
            except UnicodeDecodeError: return {"base64": base64.b64encode(data).decode()}
        heard = threading.Event()
        def message(c, u, m):
            got = {"topic": m.topic, "qos": m.qos, "retain": m.retain, **text(m.payload)}
            p = getattr(m, "properties", None)
            if p is not None:
                for key, name in [("ContentType", "content_type"), ("PayloadFormatIndicator", "format"),
                        ("MessageExpiryInterval", "expiry"), ("ResponseTopic", "response")]:
                    if hasattr(p, key): got[name] = getattr(p, key)
                if hasattr(p, "CorrelationData"): got["correlation"] = p.CorrelationData.hex()
                if hasattr(p, "UserProperty"): got["user"] = dict(p.UserProperty)
            out(event="message", **got)
            heard.set()
        client.on_connect = lambda c, u, f, code, p: out(event="connected", code=code.value)
        client.on_subscribe = lambda c, u, mid, codes, p: out(event="subscribed")
        client.on_message = message
        client.connect("127.0.0.1", options["port"])
        client.loop_start()
        for line in sys.stdin:
            command = json.loads(line)
            if command["op"] == "subscribe": client.subscribe(command["topic"], qos=1)
            if command["op"] == "publish":
                p = Properties(PacketTypes.PUBLISH) if v5 else None
                if v5:
                    if "response" in command: p.ResponseTopic = command["response"]
                    if "correlation" in command: p.CorrelationData = bytes.fromhex(command["correlation"])
                    if "id" in command: p.UserProperty = ("id", command["id"])
                payload = command.get("text", "").encode() if "size" not in command else b"x" * command["size"]
                if "base64" in command: payload = base64.b64decode(command["base64"])
                heard.clear()
                count = 0
                while count < command.get("count", 1) or command.get("insists") and not heard.wait(0.05):
                    count += 1
                    info = client.publish(command["topic"], payload, qos=command.get("qos", 1),
                        retain=command.get("retain", False), properties=p)
                info.wait_for_publish(20)
                out(event="published")
        """

    /// A message as it came.
    struct Message: Sendable {
        let json: JSONObject
        var topic: String { self.json.string("topic") ?? "" }
        var text: String { self.json.string("text") ?? "" }
        /// The payload, when it is a JSON object.
        var object: JSONObject { (try? JSONReader.read(self.text))?.objectValue ?? [:] }
        var isRetained: Bool { self.json.bool("retain") ?? false }
        var userID: String? { self.json.object("user")?.string("id") }
    }

    private let process: PythonProcess
    /// Messages that came while something else was waited for.
    private let early = EarlyMessages()

    /// Connects.
    init(_ broker: Broker, version: Int = 5, username: String? = nil, password: String? = nil) async throws {
        var options: JSONObject = ["port": .number(broker.port), "version": .number(version)]
        if let username { options["username"] = .string(username) }
        if let password { options["password"] = .string(password) }
        self.process = try PythonProcess(Self.script, [JSONValue.object(options).text])
        let answer = try #require(await self.event("connected"))
        try #require(answer.int("code") == 0)
    }

    private func event(_ name: String) async -> JSONObject? {
        while let object = await self.process.next() {
            if object.string("event") == name { return object }
            if object.string("event") == "message" { self.early.add(Message(json: object)) }
        }
        return nil
    }

    func subscribe(_ topic: String) async throws {
        self.process.send(["op": "subscribe", "topic": .string(topic)])
        _ = try #require(await self.event("subscribed"))
    }

    /// Publishes, and waits until the broker has it: `count` times, or with `insists` again and again until a message comes.
    func publish(_ topic: String, _ text: String = "", _ more: JSONObject = [:]) async throws {
        self.post(topic, text, more)
        _ = try #require(await self.event("published"))
    }

    /// Publishes without waiting.
    func post(_ topic: String, _ text: String = "", _ more: JSONObject = [:]) {
        var command: JSONObject = ["op": "publish", "topic": .string(topic), "text": .string(text)]
        for member in more.members { command[member.name] = member.value }
        self.process.send(command)
    }

    /// The next message.
    func next() async throws -> Message {
        if let message = self.early.take() { return message }
        return Message(json: try #require(await self.event("message")))
    }

    /// The next message that fits; those before it are passed over.
    func next(where fits: (Message) -> Bool) async throws -> Message {
        while true {
            let message = try await self.next()
            if fits(message) { return message }
        }
    }

    /// The next message of a topic.
    func next(on topic: String) async throws -> Message { try await self.next { $0.topic == topic } }
}

/// Messages in the order in which they came.
private final class EarlyMessages: Sendable {
    private let messages = Mutex<[MQTTPeer.Message]>([])

    func add(_ message: MQTTPeer.Message) { self.messages.withLock { $0.append(message) } }

    func take() -> MQTTPeer.Message? { self.messages.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
