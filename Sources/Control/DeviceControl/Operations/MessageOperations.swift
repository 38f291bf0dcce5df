import CastWire
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import NIOCore
import NamespaceHandlers
import PluginKit
import VirtualDevices

/// `message.send`
struct SendMessage: DeviceControlOperation {
    struct Input: MessageInput {
        var device = DeviceReference("")
        var namespace = ""
        var session: String?
        var text: String?
        var json: JSONValue?
        var bytes: String?
        var answerTime = 0.0

        static let keys: [Key] =
            Self.messageKeys + [
                Key(
                    "answer_within", \.answerTime, .number(0...60),
                    "How many seconds the answer is waited for: the app's message with the `requestId` that a JSON object is given for it. 0 waits for none",
                    example: "5")
            ]

        init(blank: ConfigBlank) {}

        static let rules = Self.messageRules + [.needsObject("answer_within", "json")]
    }

    static let name: OperationName = "message.send"
    static let route = OperationRoute(.post, "/devices/{device}/messages")
    static let scope = OperationScope.messages
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Sends a message of the caller's own to the app that runs"
    static let details =
        "The app of a real device gets it through the gateway's own session, which joins the app if need be and stays until it is ended; "
        + "that of a virtual device gets it from one more sender. Without `answer_within` nothing says that the app has read it."
    static let result = SentMessageResult.result("That it was sent")
    static let problems = DeviceProblem.app + MessageNamespaces.problems + ChannelIngress.problems

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.device(input.device, for: caller)
        let namespace = try input.checkedNamespace()
        let payload = try input.checkedPayload()
        let wait = input.answerTime > 0 ? Duration.milliseconds(Int64(input.answerTime * 1000)) : nil
        let absence = try self.controls.door.admit(
            payload, in: namespace, to: device.name, on: device.kind.leg, from: caller)
        do throws(OperationProblem) {
            return try await self.send(payload, namespace, input, to: device, absence, wait)
        } catch {
            self.controls.door.note(error, in: namespace, to: device.name, on: device.kind.leg)
            throw error
        }
    }

    private func send(
        _ payload: CastMessage.Payload, _ namespace: Namespace, _ input: Input, to device: any ControlledDevice,
        _ absence: ChannelAbsence, _ wait: Duration?
    ) async throws(OperationProblem) -> JSONObject {
        if case .keep(let time, atMost: let atMost) = absence, wait == nil, input.session == nil {
            let place = "\(device.kind.rawValue):\(device.name)"
            let door = self.controls.door
            let mustWait = await door.isKeeping(for: place)
            var isAbsent = mustWait
            if !isAbsent { isAbsent = !(await device.listens(in: namespace)) }
            if isAbsent {
                let id = try await door.keep(payload, in: namespace, to: place, for: time, atMost: atMost)
                return SentMessageResult.json(((device.name, namespace), nil, id))
            }
        }
        let answer = try await device.send(
            AppMessage(
                payload: payload, namespace: namespace, session: input.session, wait: wait))
        return SentMessageResult.json(
            ((device.name, namespace), answer?.jsonObject?.jsonValue ?? answer?.text?.jsonValue, nil))
    }
}

/// `message.broadcast`
struct BroadcastMessage: DeviceControlOperation {
    struct Input: MessageInput {
        var device = DeviceReference("")
        var namespace = ""
        var session: String?
        var text: String?
        var json: JSONValue?
        var bytes: String?

        static let keys: [Key] = Self.messageKeys

        init(blank: ConfigBlank) {}

        static let rules = Self.messageRules
    }

    static let name: OperationName = "message.broadcast"
    static let route = OperationRoute(.post, "/devices/{device}/broadcasts")
    static let scope = OperationScope.messages
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Sends a message to all senders of an app on a virtual device, as the app would"
    static let result = MessageResult.result("That it was sent")
    static let problems =
        DeviceProblem.virtual + DeviceProblem.askingApp + MessageNamespaces.problems
        + ChannelIngress.problems.filter { $0.code != "kept_too_many" }

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.virtualDevice(input.device, for: caller)
        let namespace = try input.checkedNamespace()
        let payload = try input.checkedPayload()
        _ = try self.controls.door.admit(payload, in: namespace, to: device.name, from: caller)
        do throws(GatewayError) {
            try await device.senders.broadcast(
                payload, namespace: namespace,
                to: AppAddress(device: device.name, session: input.session), as: device.origin)
        } catch {
            throw OperationProblem(virtualDevice: error)
        }
        return MessageResult.json((device.name, namespace))
    }
}

/// A message that was sent.
struct MessageResult: ResultRecord {
    typealias Source = (device: String, namespace: Namespace)

    let device = Field("device", "The device") { $0.device }
    let namespace = Field("namespace", "The namespace") { $0.namespace.rawValue }

    static let layout = ResultLayout(MessageResult())
}

/// A message that an app was sent, or that is kept for it.
private struct SentMessageResult: ResultRecord {
    typealias Source = (message: MessageResult.Source, answer: JSONValue?, keptID: String?)

    let message = Embedded(MessageResult.self) { $0.message }
    let answer = Field.optional("answer", "With `answer_within`: the app's answer, as JSON") { $0.answer }
    let isKept = Field.optional(
        "kept", "`true` when the app does not run, and the message is kept until it does"
    ) { $0.keptID == nil ? nil : true }
    let keptID = Field.optional("id", "The id of a message that is kept, as `outbox.list` has it") { $0.keptID }

    static let layout = ResultLayout(SentMessageResult())
}

/// What a message of a caller may not be sent in.
enum MessageNamespaces {
    /// What the gateway and the platforms of devices read themselves. The media of an app is reached by its own operations, which
    /// take another scope.
    static let own: Set<Namespace> = [.receiver, .discovery, .setup, .multizone, .media]

    static let problems = [
        OperationProblemCase(
            "reserved_namespace", 422, "the namespace is one of the transport, the platform or the media of Cast"),
        OperationProblemCase(
            "unsupported_namespace", 409, "the app does not list the namespace, and no handler answers in it"),
    ]
}

/// A message as callers write it.
protocol MessageInput: DeviceInput, RuledInput {
    var device: DeviceReference { get set }
    var namespace: String { get set }
    var session: String? { get set }
    var text: String? { get set }
    var json: JSONValue? { get set }
    var bytes: String? { get set }
}

extension MessageInput {
    static var messageKeys: [Key] {
        [
            .device(\.device),
            .required(
                "namespace", \.namespace, .namespace, "Where it is sent", example: "urn:x-cast:com.example.quiz"),
            .optional(
                "session_id", \.session, .text(maximumBytes: 200),
                "The device's id of the session that is meant; without it the app that runs"),
            .optional(
                "text", \.text, .text(maximumBytes: Self.maximumText),
                "The message as text, at most \(CastMessage.maximumPayloadLength) bytes"),
            .optional("json", \.json, .json, "The message as JSON, which is sent as text; as long"),
            .optional(
                "bytes", \.bytes, .text(maximumBytes: Self.maximumText),
                "The message as bytes, in base64, as many when decoded; most apps take none"),
        ]
    }

    static var messageRules: [InputRule] { [.one(of: ["text", "json", "bytes"]), .base64(["bytes"])] }

    /// The namespace, when callers may send there.
    func checkedNamespace() throws(OperationProblem) -> Namespace {
        let namespace = Namespace(rawValue: self.namespace)
        guard !namespace.isTransport, !MessageNamespaces.own.contains(namespace) else {
            throw OperationProblem(
                "reserved_namespace", status: 422, "'\(namespace)' is not for messages of callers")
        }
        return namespace
    }

    /// What a listener takes, so that what is too long for a device is told so, by one code on every way in.
    private static var maximumText: Int { 1 << 20 }

    /// The message, when it is no longer than devices take.
    /// - Throws: `message_too_big`.
    func checkedPayload() throws(OperationProblem) -> CastMessage.Payload {
        let payload = self.payload
        let length = payload.bytes.readableBytes
        guard length <= CastMessage.maximumPayloadLength else {
            throw OperationProblem(
                deviceFailure: .messageTooBig,
                "\(length) bytes are more than the \(CastMessage.maximumPayloadLength) of a message")
        }
        return payload
    }

    private var payload: CastMessage.Payload {
        if let text = self.text { return .text(text) }
        if let bytes = self.bytes.flatMap({ Base64.bytes($0.utf8) }) { return .binary(bytes) }
        return .text((self.json ?? .null).text)
    }
}
