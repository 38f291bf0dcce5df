import CastWire
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import GatewaySettings
import NamespaceHandlers

/// `channel.open`
struct OpenChannel: DeviceControlOperation {
    static let name: OperationName = "channel.open"
    static let route = OperationRoute(.post, "/devices/{device}/channels")
    static let scope = OperationScope.messages
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Opens a channel of the gateway's own session with the app on a real device"
    static let details =
        "The session joins the app that runs if need be. From then on the channel is told of by `channel.connected`, `channel.writable` and "
        + "`channel.disconnected`, and what the app says there is kept in the history of events as `channel.message` with `via: own`, "
        + "with or without a reader. Channels of the session that `channels` of the configuration names are open from its beginning."
    static let result = ChannelResult.result("The channel then")
    static let problems = DeviceProblem.app + ChannelResult.problems

    let controls: DeviceControls

    func perform(_ input: ChannelInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.realDevice(input.device, for: caller)
        let namespace = try input.checkedNamespace()
        do throws(SessionFailure) {
            let session = try await device.devices.directory.controlSession(device: device.name, needsMedia: false)
            let channel = try await session.openChannel(namespace)
            return ChannelResult.json((device.name, namespace, channel, session.number))
        } catch {
            throw OperationProblem(error)
        }
    }
}

/// `channel.close`
struct CloseChannel: DeviceControlOperation {
    static let name: OperationName = "channel.close"
    static let route = OperationRoute(.delete, "/devices/{device}/channels")
    static let scope = OperationScope.messages
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Closes a channel of the gateway's own session with the app on a real device"
    static let details =
        "What the app says there reaches callers that wait for an answer, but no rule, plugin, bridge or reader of events. It is "
        + "open again after `channel.open`, and with the next session. Without a session there is nothing to close."
    static let result = ChannelResult.result("The channel then")
    static let problems =
        DeviceProblem.named + ChannelResult.problems + [
            OperationProblemCase("invalid_request", 422, "too many channels of the session are closed"),
            OperationProblemCase("session_not_active", 409, "the session ended just now"),
            OperationProblemCase("timeout", 504, "the session does not answer in time"),
        ]

    let controls: DeviceControls

    func perform(_ input: ChannelInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.realDevice(input.device, for: caller)
        let namespace = try input.checkedNamespace()
        guard let session = await device.devices.directory.currentSession(device: device.name) else {
            return ChannelResult.json((device.name, namespace, nil, nil))
        }
        do throws(SessionFailure) {
            let channel = try await session.closeChannel(namespace)
            return ChannelResult.json((device.name, namespace, channel, session.number))
        } catch {
            throw OperationProblem(error)
        }
    }
}

/// `channels.list`
struct ListChannels: DeviceControlOperation {
    struct Input: OperationInput {
        var device: DeviceReference?
        var namespace: String?

        static let keys: [Key] = [
            .optional("device", \.device, .device, "A real device; without it all with a session", example: "wall"),
            .optional(
                "namespace", \.namespace, .namespace, "One channel; without it all",
                example: "urn:x-cast:com.example.quiz"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "channels.list"
    static let route = OperationRoute(.get, "/channels")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Lists the channels of the gateway's own sessions with apps on real devices"
    static let details =
        "These are the channels that `channels` of the configuration names with `legs: [own]`, those that callers have opened or closed, and the one "
        + "that is asked for."
    static let result = ChannelListResult.result("The channels")
    static let problems = DeviceProblem.named + [ChannelResult.notReal]

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let asked = input.namespace.map { NamespacePattern.exact(Namespace(rawValue: $0)) }
        var devices: [String] = []
        if let reference = input.device {
            devices = [try self.controls.realDevice(reference, for: caller).name]
        } else {
            devices = self.controls.devices.directory.channelNames.filter { caller.mayUse(device: $0) }
        }
        var channels: [ChannelResult.Source] = []
        for device in devices {
            let patterns = asked.map { [$0] } ?? self.configured(on: device)
            let session = await self.controls.devices.directory.currentSession(device: device)
            let known = try? await session?.channels(in: patterns)
            if let known {
                channels += known.filter { channel in asked.map { $0.matches(channel.namespace) } ?? true }
                    .map { (device, $0.namespace, $0, session?.number) }
            } else if input.device != nil {
                for case .exact(let namespace) in patterns {
                    channels.append((device, namespace, nil, nil))
                }
            }
        }
        return ChannelListResult.json((channels, caller))
    }

    /// What `channels` of the configuration names on a device.
    private func configured(on device: String) -> [NamespacePattern] {
        self.controls.context.configuration.current.channels
            .filter { $0.legs.contains(.own) && $0.isMeant(real: device) }
            .compactMap { NamespacePattern($0.namespace) }
    }
}

/// Names a channel.
struct ChannelInput: DeviceInput {
    var device = DeviceReference("")
    var namespace = ""

    static let keys: [Key] = [
        .device(\.device),
        .required("namespace", \.namespace, .namespace, "The channel", example: "urn:x-cast:com.example.quiz"),
    ]

    init(blank: ConfigBlank) {}

    /// The namespace, when it is one of an app's own.
    fileprivate func checkedNamespace() throws(OperationProblem) -> Namespace {
        let namespace = Namespace(rawValue: self.namespace)
        guard namespace.family == .custom else {
            throw OperationProblem(
                "reserved_namespace", status: 422, "'\(namespace)' is no namespace of an app's own")
        }
        return namespace
    }
}

/// A channel of a session, as operations answer with it.
struct ChannelResult: ResultRecord {
    /// The channel is nil on a device without a session.
    typealias Source = (device: String, namespace: Namespace, channel: SessionChannel?, session: Int?)

    let device = Field("device", "The real device") { $0.device }
    let namespace = Field("namespace", "The namespace") { $0.namespace.rawValue }
    let state = Field(
        "state",
        "`connected`; `unsupported` while the app does not list the namespace; `closed` where it was closed, or no app can be spoken to"
    ) { $0.channel?.state ?? .closed }
    let isWritable = Field("writable", "Whether the device takes what it is sent there") {
        $0.channel?.isWritable ?? false
    }
    let isOpened = Field("opened", "Whether a caller has opened it") { $0.channel?.isOpened ?? false }
    let session = Field.optional("session", "The number of the gateway's own session; missing without one") {
        $0.session
    }

    static let layout = ResultLayout(ChannelResult())

    fileprivate static let notReal = OperationProblemCase(
        "not_real", 409, "the device is a virtual one, whose senders have channels of their own")
    fileprivate static let problems = [
        Self.notReal, OperationProblemCase("reserved_namespace", 422, "the namespace is no app's own"),
    ]
}

/// The channels of sessions.
struct ChannelListResult: ResultRecord {
    typealias Source = (channels: [ChannelResult.Source], caller: Caller)

    let channels = Field("channels", listOf: ChannelResult.self, "By device and namespace") { $0.channels }
    let unanswered = Embedded(Unanswered.self) { $0.caller }

    static let layout = ResultLayout(ChannelListResult())
}

extension DeviceControls {
    /// The real device that a caller means.
    /// - Throws: as ``device(_:for:)``; `not_real` (409) for a virtual one.
    fileprivate func realDevice(
        _ reference: DeviceReference, for caller: Caller
    ) throws(OperationProblem) -> RealControlledDevice {
        let device = try self.device(reference, for: caller)
        guard let real = device as? RealControlledDevice else {
            throw OperationProblem("not_real", status: 409, "'\(device.name)' is a virtual device")
        }
        return real
    }
}
