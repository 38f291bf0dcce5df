import Hummingbird

/// What the admin listener can have done with virtual devices; the app wires it to the gateway.
public struct VirtualDeviceActions: Sendable {
    /// All virtual devices, those that were made for discovered devices and do not run now among them.
    public let list: @Sendable () async -> ControlAnswer
    /// Forgets a discovered device: its virtual device ends, and its name and port are free.
    public let forget: @Sendable (_ nameOrID: String) async -> ControlAnswer

    /// Collects the actions.
    public init(
        list: @escaping @Sendable () async -> ControlAnswer,
        forget: @escaping @Sendable (_ nameOrID: String) async -> ControlAnswer
    ) {
        self.list = list
        self.forget = forget
    }
}

extension ControlServer {
    /// The routes about virtual devices.
    static func addVirtualDevices(_ actions: VirtualDeviceActions, to router: Router<BasicRequestContext>) {
        router.get("/api/v1/virtual-devices") { _, _ in await actions.list().response }
        router.delete("/api/v1/virtual-devices/:name") { _, context in
            await actions.forget(try context.parameters.require("name")).response
        }
    }
}
