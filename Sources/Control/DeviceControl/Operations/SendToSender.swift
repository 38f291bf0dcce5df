import CastWire
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import VirtualDevices

/// `message.send_to_sender`
struct SendToSender: DeviceControlOperation {
    struct Input: MessageInput {
        var device = DeviceReference("")
        var sender = ""
        var namespace = ""
        var session: String?
        var text: String?
        var json: JSONValue?
        var bytes: String?

        static let keys: [Key] =
            Self.messageKeys + [
                .required(
                    "sender", \.sender, .text(maximumBytes: 32), "The sender, by its `id` in `senders.list`",
                    example: "c7")
            ]

        init(blank: ConfigBlank) {}

        static let rules = Self.messageRules
    }

    static let name: OperationName = "message.send_to_sender"
    static let route = OperationRoute(.post, "/devices/{device}/senders/{sender}/messages")
    static let scope = OperationScope.messages
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Sends a message to one sender of an app on a virtual device, as the app would"
    static let details =
        "The sender gets it at each of its ends that is connected to the app, at most 16. Nothing says that it has read it."
    static let result = MessageToSenderResult.result("That it was sent")
    static let problems =
        DeviceProblem.virtual + DeviceProblem.askingApp + MessageNamespaces.problems
        + ChannelIngress.problems.filter { $0.code != "kept_too_many" } + [
            OperationProblemCase(
                "unknown_sender", 404, "no such sender is connected to the device, or it is not connected to the app")
        ]

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.virtualDevice(input.device, for: caller)
        let namespace = try input.checkedNamespace()
        let payload = try input.checkedPayload()
        _ = try self.controls.door.admit(payload, in: namespace, to: device.name, from: caller)
        let ends: Int?
        do throws(GatewayError) {
            ends = try await device.senders.send(
                payload, namespace: namespace, to: AppAddress(device: device.name, session: input.session),
                sender: input.sender, as: device.origin)
        } catch {
            throw OperationProblem(virtualDevice: error)
        }
        guard let ends, ends > 0 else {
            let what = ends == nil ? "to '\(device.name)'" : "to the app on '\(device.name)'"
            throw .missing("unknown_sender", "sender '\(input.sender)' is not connected \(what)")
        }
        return MessageToSenderResult.json(((device.name, namespace), input.sender, ends))
    }
}

/// A message that one sender was sent.
private struct MessageToSenderResult: ResultRecord {
    typealias Source = (message: MessageResult.Source, sender: String, ends: Int)

    let message = Embedded(MessageResult.self) { $0.message }
    let sender = Field("sender", "The sender") { $0.sender }
    let ends = Field("ends", "At how many of its ends it gets the message") { $0.ends }

    static let layout = ResultLayout(MessageToSenderResult())
}
