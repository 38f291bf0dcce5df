import CastClient
import CastWire
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayOperations
import NIOCore

/// `devices.list`
struct ListDevices: GatewayOperation {
    static let name: OperationName = "devices.list"
    static let route = OperationRoute(.get, "/devices")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Lists all devices, virtual and real, with what runs on them"
    static let details =
        "Real devices are those of the file, those behind virtual devices, and those that discovery has found."
    static let result = OperationResult(
        "The devices",
        [
            .init("virtual_devices", .list(.object(DeviceResult.virtual)), "Those of the file first"),
            .init("devices", .list(.object(DeviceResult.real)), "The real ones; those with a channel first"),
            .init(
                "discovery", .object(DiscoveryResult.members), "Whether devices are searched for"),
        ])

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        [
            "virtual_devices": .array(await self.feature.virtualDevices(for: caller).map { .object($0) }),
            "devices": .array(await self.feature.realDevices(for: caller).map { .object($0) }),
            "discovery": .object(DiscoveryResult.json(self.feature.discovery.state)),
        ]
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
    static let problems = [OperationProblemCase.unknownDevice, .ambiguousDevice]

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: OneDeviceInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        switch try self.feature.device(input.device, for: caller) {
        case .virtual(let name):
            guard let json = await self.feature.virtualDevice(name) else {
                throw .missing("unknown_device", "there is no virtual device '\(name)'")
            }
            return ["kind": "virtual", "virtual_device": .object(json)]
        case .real(let entry): return ["kind": "real", "device": .object(await self.feature.realDevice(entry))]
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
    static let problems = [
        OperationProblemCase.unknownDevice, .ambiguousDevice,
        OperationProblemCase("device_not_connected", 504, "the device is out of reach"),
        OperationProblemCase("timeout", 504, "the device did not answer in time"),
        OperationProblemCase("invalid_request", 422, "the device answers with something else than its status"),
    ]

    /// How a device is dialled that the gateway keeps no channel to.
    private static let options = SenderOptions(
        senderID: EndpointID(rawValue: "sender-castway-probe"), connectTimeout: .seconds(3), answerTimeout: .seconds(5))

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: OneDeviceInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.feature.device(input.device, for: caller)
        let begin = NIODeadline.now()
        let (kind, answer): (String, JSONObject) =
            switch device {
            case .virtual(let name): ("virtual", try await self.status(ofVirtual: name))
            case .real(let entry): ("real", try await self.status(of: entry))
            }
        let time = Double((NIODeadline.now() - begin).nanoseconds) / 1e6
        guard let status = answer.object("status") else {
            throw OperationProblem(
                "invalid_request", status: 422, "the device answers with \(answer.string("type") ?? "something else")")
        }
        return ["kind": .string(kind), "milliseconds": .number(time), "status": .object(status)]
    }

    private func status(ofVirtual name: String) async throws(OperationProblem) -> JSONObject {
        let request = ReceiverRequest.getStatus(requestID: .spontaneous)
        return try await self.feature.ask(request, of: name, within: .seconds(10))
    }

    private func status(of entry: RealDeviceNames.Entry) async throws(OperationProblem) -> JSONObject {
        do throws(RequestError) {
            guard !entry.hasChannel else { return try await self.feature.directory.askStatus(of: entry.name) }
            guard let address = entry.found?.addresses.first else {
                throw RequestError(.deviceNotConnected, "it is not known where '\(entry.name)' is")
            }
            return try await Self.status(at: address)
        } catch {
            throw OperationProblem(ofDevice: error)
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
    var device = ""

    static let keys: [Key] = [
        .required(
            "device", \.device, .text(maximumBytes: 200),
            "The device's name in the gateway, or the id of a real one; `virtual:NAME` or `real:NAME` where both exist",
            example: "hall")
    ]

    init(blank: ConfigBlank) {}
}

extension OperationProblem {
    /// Why a device did not do what it was asked; `reason` is its own word.
    init(ofDevice error: RequestError) {
        var members: JSONObject = [:]
        if let reason = error.reason { members["reason"] = .string(reason) }
        self.init(GatewayError(GatewayError.Code(error.code), error.message), members: members)
    }
}
