import CastDiscovery
import CastWire
package import DeviceSessions
import FeatureContract
import GatewayConfig
package import GatewayOperations

/// `virtual_devices.list`
struct ListVirtualDevices: GatewayOperation {
    static let name: OperationName = "virtual_devices.list"
    static let route = OperationRoute(.get, "/virtual-devices")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Lists the virtual devices, and where each comes from"
    static let details = "Those that were made for discovered devices and do not run now are among them."
    static let result = VirtualDeviceListResult.result("The virtual devices")

    /// Knows the virtual devices.
    let feature: DiscoveredDevicesFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        VirtualDeviceListResult.json(self.feature.list(for: caller))
    }
}

/// `virtual_device.forget`
struct ForgetVirtualDevice: GatewayOperation {
    struct Input: OperationInput {
        var device = ""

        static let keys: [Key] = [
            .required(
                "device", \.device, .text(maximumBytes: 64),
                "The virtual device's name, or the id of the device behind it", example: "auto-9d2b7c1e")
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "virtual_device.forget"
    static let route = OperationRoute(.delete, "/virtual-devices/{device}")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Forgets a discovered device: its virtual device ends, and its place is free"
    static let details =
        "A device that is still there, and that `discovery.virtual_devices.match` still means, is found again as new."
    static let result = ForgottenDeviceResult.result("What is forgotten")
    static let problems = [OperationProblemCase("unknown_device", 404, "no discovered device is remembered under that")]

    /// Knows the virtual devices.
    let feature: DiscoveredDevicesFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        ForgottenDeviceResult.json(try await self.feature.forget(input.device))
    }
}

/// A discovered device that was forgotten.
package struct ForgottenDeviceResult: ResultRecord {
    package typealias Source = DevicePin

    package let name = Field("name", "The virtual device") { $0.name }
    let id = Field("device_id", "The device behind it") { $0.id.text }
    let state = Field("state", "How it is", as: .word(["forgotten"])) { _ in "forgotten" }

    package static let layout = ResultLayout(ForgottenDeviceResult())
}
