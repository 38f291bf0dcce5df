import CastClient
package import CastWire
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayCore
package import GatewayOperations
import NIOCore

/// `devices.list`
package struct ListDevices: GatewayOperation {
    /// In which order real devices stand.
    enum Order: String, Sendable, CaseIterable {
        /// Those with a channel first, by name.
        case channel
        /// As in the device list, whose places device events have.
        case list
    }

    package struct Input: OperationInput, ConfigSettings {
        var order = Order.channel

        static let keys: [Key] = [
            Key(
                "sort", \.order, .word,
                "In which order the real devices stand: those with a channel first (`channel`), or as in the device list, by whose places events name them "
                    + "(`list`)")
        ]

        init() {}
    }

    package static let name: OperationName = "devices.list"
    package static let route = OperationRoute(.get, "/devices")
    package static let scope = OperationScope.read
    package static let reach = OperationReach.permitted
    package static let summary = "Lists all devices, virtual and real, with what runs on them"
    package static let details =
        "Real devices are those of the file, those behind virtual devices, and those that discovery has found."
    package static let result = DeviceListResult.result("The devices")

    /// Knows the devices.
    let feature: OverviewFeature

    package func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        var devices = await self.feature.realDevices(for: caller)
        if input.order == .list {
            devices = devices.enumerated().sorted {
                ($0.element.index ?? .max, $0.offset) < ($1.element.index ?? .max, $1.offset)
            }.map(\.element)
        }
        let isHelped = devices.isEmpty && caller.devices == nil
        return DeviceListResult.json(
            DeviceListResult.Source(
                virtualDevices: await self.feature.virtualDevices(for: caller), devices: devices,
                discovery: self.feature.discovery.state, hints: isHelped ? self.feature.discovery.hints() : nil,
                caller: caller))
    }
}

/// `device.get`
struct GetDevice: GatewayOperation {
    static let name: OperationName = "device.get"
    static let route = OperationRoute(.get, "/devices/{device}")
    static let scope = OperationScope.read
    static let reach = OperationReach.device
    static let summary = "Shows one device, virtual or real, and what runs on it"
    static let result = GotDeviceResult.result("The device")
    static let problems = DeviceProblem.named

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: OneDeviceInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.feature.resolver.device(input.device, for: caller)
        return switch device.kind {
        case .virtual: GotDeviceResult.json((try await self.feature.virtualDevice(device), nil))
        case .real: GotDeviceResult.json((nil, try await self.feature.realDevice(device)))
        }
    }
}

/// `device.probe`
struct ProbeDevice: GatewayOperation {
    static let name: OperationName = "device.probe"
    static let route = OperationRoute(.post, "/devices/{device}/probe")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Asks a device for its status now, and says whether and how fast it answers"
    static let details =
        "A real device is asked on the gateway's channel to it, or on one of its own when the gateway keeps none. A virtual device is "
        + "asked as a sender asks it; with a real device behind it, that answers."
    static let result = ProbeResult.result("What the device says")
    static let problems = DeviceProblem.asked

    /// How a device is dialled that the gateway keeps no channel to.
    private static let options = SenderOptions(
        senderID: EndpointID(rawValue: "sender-castway-probe"), connectTimeout: .seconds(3), answerTimeout: .seconds(5))

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: OneDeviceInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.feature.resolver.device(input.device, for: caller)
        let begin = NIODeadline.now()
        let answer =
            switch device.kind {
            case .virtual:
                try await self.feature.ask(
                    ReceiverRequest.getStatus(requestID: .spontaneous), of: device.name, within: .seconds(10))
            case .real: try await self.status(of: self.feature.resolver.entry(device))
            }
        let time = Double((NIODeadline.now() - begin).nanoseconds) / 1e6
        guard let status = answer.object("status") else {
            throw OperationProblem(
                deviceFailure: .invalidResponse, "the device answers with \(answer.string("type") ?? "something else")")
        }
        return ProbeResult.json((device.kind, time, status))
    }

    private func status(of entry: RealDeviceNames.Entry) async throws(OperationProblem) -> JSONObject {
        do throws(RequestError) {
            guard !entry.hasChannel else { return try await self.feature.directory.askStatus(of: entry.name) }
            guard let address = entry.found?.addresses.first else {
                throw RequestError(.deviceNotConnected, "it is not known where '\(entry.name)' is")
            }
            return try await Self.status(at: address)
        } catch {
            throw OperationProblem(error)
        }
    }

    private static func status(at address: DeviceAddress) async throws(RequestError) -> JSONObject {
        let device = try await RemoteDevice.dial(host: address.host, port: address.port, options: Self.options)
        await device.open(.platformReceiver)
        let outcome: Result<JSONObject, RequestError>
        do throws(RequestError) {
            outcome = .success(try await device.status().json)
        } catch {
            outcome = .failure(error)
        }
        await device.close()
        return try outcome.get()
    }
}

/// Names a device.
struct OneDeviceInput: OperationInput {
    var device = DeviceReference("")

    static let keys: [Key] = [.device(\.device)]

    init(blank: ConfigBlank) {}
}

/// Names a virtual device.
struct OneVirtualDeviceInput: OperationInput {
    var device = DeviceReference("")

    static let keys: [Key] = [.virtualDevice(\.device)]

    init(blank: ConfigBlank) {}
}

/// The devices, virtual and real.
package struct DeviceListResult: ResultRecord {
    package struct Source {
        let virtualDevices: [VirtualDeviceResult.Source]
        let devices: [RealDeviceResult.Source]
        let discovery: DiscoveryState
        /// The reasons for which there is no real device; nil when they are not said.
        let hints: [DiscoveryHint]?
        let caller: Caller
    }

    package let virtualDevices = Field(
        "virtual_devices", listOf: VirtualDeviceResult.self, "Those of the file first"
    ) { $0.virtualDevices }
    package let devices = Field(
        "devices", listOf: RealDeviceResult.self,
        "The real ones; those with a channel first, unless `sort` says otherwise"
    ) { $0.devices }
    let discovery = Field("discovery", DiscoveryResult.self, "Whether devices are searched for") { $0.discovery }
    let hints = Field.optional(
        "help", listOf: DiscoveryHintResult.self,
        "Why there is no real device; missing when there is one, and for callers that are limited to devices"
    ) { $0.hints }
    let unanswered = Embedded(Unanswered.self) { $0.caller }

    package static let layout = ResultLayout(DeviceListResult())
}

/// A reason for which no device is found.
private struct DiscoveryHintResult: ResultRecord {
    typealias Source = DiscoveryHint

    let code = Field("code", "Why, in a word") { $0.code }
    let text = Field("text", "The same in a sentence, with what to do") { $0.text }

    static let layout = ResultLayout(DiscoveryHintResult())
}

/// One device, virtual or real.
private struct GotDeviceResult: ResultRecord {
    typealias Source = (virtual: VirtualDeviceResult.Source?, real: RealDeviceResult.Source?)

    let kind = Field("kind", "Which kind of device it is", as: ProbeResult.kinds) {
        $0.virtual == nil ? "real" : "virtual"
    }
    let virtualDevice = Field.optional("virtual_device", ConnectedVirtualDeviceResult.self, "A virtual device") {
        $0.virtual
    }
    let device = Field.optional("device", RealDeviceResult.self, "A real device") { $0.real }

    static let layout = ResultLayout(GotDeviceResult())
}

/// The answer of a device that was asked for its status.
private struct ProbeResult: ResultRecord {
    typealias Source = (kind: DeviceReference.Kind, milliseconds: Double, status: JSONObject)

    static let kinds = OperationResult.Kind.word(["virtual", "real"])

    let kind = Field("kind", "Which kind of device it is", as: Self.kinds) { $0.kind.rawValue }
    let milliseconds = Field("milliseconds", "How long the answer took") { $0.milliseconds }
    let status = Field("status", "The `status` of its RECEIVER_STATUS") { $0.status }

    static let layout = ResultLayout(ProbeResult())
}
