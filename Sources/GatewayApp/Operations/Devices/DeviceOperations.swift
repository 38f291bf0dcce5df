import CastClient
import CastWire
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayOperations
import NIOCore

/// `devices.list`
struct ListDevices: GatewayOperation {
    /// In which order real devices stand.
    enum Order: String, Sendable, CaseIterable {
        /// Those with a channel first, by name.
        case channel
        /// As in the device list, whose places device events have.
        case list
    }

    struct Input: OperationInput, ConfigSettings {
        var order = Order.channel

        static let keys: [Key] = [
            Key(
                "sort", \.order, .word,
                "In which order the real devices stand: those with a channel first (`channel`), or as in the device list, by whose places events name them "
                    + "(`list`)")
        ]

        init() {}
    }

    static let name: OperationName = "devices.list"
    static let route = OperationRoute(.get, "/devices")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Lists all devices, virtual and real, with what runs on them"
    static let details =
        "Real devices are those of the file, those behind virtual devices, and those that discovery has found."
    static let members: [OperationResult.Member] = [
        .init("virtual_devices", .list(.object(DeviceResult.virtual)), "Those of the file first"),
        .init(
            "devices", .list(.object(DeviceResult.real)),
            "The real ones; those with a channel first, unless `sort` says otherwise"),
        .init(
            "discovery", .object(DiscoveryResult.members), "Whether devices are searched for"),
        .optional(
            "help",
            .list(
                .object([
                    .init("code", .word(DiscoveryHint.Code.allCases.map(\.rawValue)), "Why, in a word"),
                    .init("text", .text, "The same in a sentence, with what to do"),
                ])),
            "Why there is no real device; missing when there is one, and for callers that are limited to devices"),
    ]
    static let result = OperationResult("The devices", Self.members + [Unanswered.member])

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        var devices = await self.feature.realDevices(for: caller)
        if input.order == .list {
            devices = devices.enumerated().sorted {
                ($0.element.int("index") ?? .max, $0.offset) < ($1.element.int("index") ?? .max, $1.offset)
            }.map(\.element)
        }
        var json: JSONObject = [
            "virtual_devices": .array(await self.feature.virtualDevices(for: caller).map { .object($0) }),
            "devices": .array(devices.map { .object($0) }),
            "discovery": .object(DiscoveryResult.json(self.feature.discovery.state)),
        ]
        if devices.isEmpty, caller.devices == nil {
            let hints = self.feature.discovery.hints()
            json["help"] = .array(hints.map { ["code": .string($0.code.rawValue), "text": .string($0.text)] })
        }
        Unanswered.add(to: &json, for: caller)
        return json
    }
}

/// `device.get`
struct GetDevice: GatewayOperation {
    static let name: OperationName = "device.get"
    static let route = OperationRoute(.get, "/devices/{device}")
    static let scope = OperationScope.read
    static let reach = OperationReach.device
    static let summary = "Shows one device, virtual or real, and what runs on it"
    static let result = OperationResult(
        "The device",
        [
            .init("kind", .word(["virtual", "real"]), "Which kind of device it is"),
            .optional("virtual_device", .object(DeviceResult.virtualWithSenders), "A virtual device"),
            .optional("device", .object(DeviceResult.real), "A real device"),
        ])
    static let problems = DeviceProblem.named

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: OneDeviceInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.feature.resolver.device(input.device, for: caller)
        switch device.kind {
        case .virtual:
            return ["kind": "virtual", "virtual_device": .object(try await self.feature.virtualDevice(device))]
        case .real: return ["kind": "real", "device": .object(try await self.feature.realDevice(device))]
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
    static let result = OperationResult(
        "What the device says",
        [
            .init("kind", .word(["virtual", "real"]), "Which kind of device it is"),
            .init("milliseconds", .number, "How long the answer took"),
            .init("status", .map(.anything), "The `status` of its RECEIVER_STATUS"),
        ])
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
        return ["kind": .string(device.kind.rawValue), "milliseconds": .number(time), "status": .object(status)]
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
