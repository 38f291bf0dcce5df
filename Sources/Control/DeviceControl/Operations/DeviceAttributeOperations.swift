import CastWire
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayOperations

/// `device.attributes`
struct SetDeviceAttributes: GatewayOperation {
    struct Input: RuledInput {
        var device = DeviceReference("")
        var attributes: [String: String] = [:]
        var removed: [String] = []

        static let keys: [Key] = [
            .device(\.device),
            Key(
                "set", \.attributes,
                .map(key: .text(allowed: "a-z0-9_.-", length: 1...64), value: .text(maximumBytes: 1024)),
                "What is kept with the device from now on: names, and a text for each", example: "{\"room\": \"hall\"}"),
            Key(
                "remove", \.removed, .list(of: .text(allowed: "a-z0-9_.-", length: 1...64)),
                "The names of what is kept no more"),
        ]

        static let rules: [InputRule] = [.any(of: ["set", "remove"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "device.attributes"
    static let route = OperationRoute(.put, "/devices/{device}/attributes")
    static let scope = OperationScope.control
    static let reach = OperationReach.device
    static let summary = "Keeps texts with a real device, for all callers to see"
    static let details =
        "They are kept by the device's id, whatever it calls itself, outlive the gateway, and stand in `devices.list`, `device.get` and the events "
        + "of the device list."
    static let result = DeviceAttributesResult.result("What is kept with the device")
    static let problems =
        DeviceProblem.named + [
            OperationProblemCase("not_real", 409, "the device is a virtual one"),
            OperationProblemCase(
                "too_many_attributes", 409, "the device has too many attributes, or too many devices have some"),
            OperationProblemCase("not_kept", 409, "the state cannot be written, so nothing has changed"),
        ]

    /// Keeps them.
    let feature: DeviceAttributesFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.feature.resolver.device(input.device, for: caller)
        guard device.kind == .real else {
            throw OperationProblem("not_real", status: 409, "'\(input.device.text)' is a virtual device")
        }
        let id = self.feature.resolver.entry(device).found?.id ?? device.name
        let kept = try await self.feature.change(id, set: input.attributes, remove: input.removed)
        return DeviceAttributesResult.json((id, kept))
    }
}

/// `device.find`
struct FindDevice: GatewayOperation {
    struct Input: OperationInput {
        var id = ""
        var timeout = 5.0

        static let keys: [Key] = [
            .required(
                "id", \.id, .text(maximumBytes: 200),
                "The device's id in any of its forms, its unique id, its name in the file, or its friendly name",
                example: "hall"),
            Key("timeout", \.timeout, .number(0...300), "For how many seconds it is waited for"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "device.find"
    static let route = OperationRoute(.post, "/device-search")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Waits until a real device is in the list, and shows it"
    static let details =
        "One that is listed is shown at once; otherwise the network is asked for it. Several searches may run at the same time; `request.cancel` ends one."
    static let result = FoundDeviceResult.result("The device")
    static let problems =
        DeviceProblem.named + [
            OperationProblemCase("device_not_found", 404, "it has not been heard in time, or nothing is searched for"),
            OperationProblemCase("cancelled", 503, "the search was cancelled"),
        ]

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        // A limited caller learns nothing by how long the answer takes.
        let timeout: Duration = caller.mayUse(device: input.id) ? .milliseconds(Int64(input.timeout * 1000)) : .zero
        let found = await self.feature.discovery.find(input.id, timeout: timeout)
        if Task.isCancelled { throw OperationProblem(deviceFailure: .cancelled, "the search was cancelled") }
        let name = found.map { $0.staticName ?? $0.id }
        guard let name, caller.mayUse(device: name) else {
            // The answer is the same whether there could be such a device or not.
            try caller.require(device: input.id)
            throw .missing("device_not_found", "'\(input.id)' has not been heard in \(input.timeout) seconds")
        }
        let device = try self.feature.resolver.device(DeviceReference("real:\(name)"), for: caller)
        return FoundDeviceResult.json(try await self.feature.realDevice(device))
    }
}

/// The texts that are kept with a device.
private struct DeviceAttributesResult: ResultRecord {
    typealias Source = (id: String, attributes: [String: String])

    let id = Field("id", "The device's id") { $0.id }
    let attributes = Field("attributes", "Names, and a text for each", as: .map(.text)) {
        JSONObject(attributes: $0.attributes)
    }

    static let layout = ResultLayout(DeviceAttributesResult())
}

/// A real device that was waited for.
private struct FoundDeviceResult: ResultRecord {
    typealias Source = RealDeviceResult.Source

    let device = Field("device", RealDeviceResult.self, "The device") { $0 }

    static let layout = ResultLayout(FoundDeviceResult())
}
