package import DeviceListening
package import GatewayConfig
package import GatewayCore

/// The terms of one virtual device: its settings, what stands behind it, and what it shares with others.
package struct VirtualDeviceTerms: ListeningTerms {
    package let configuration: VirtualDeviceSettings
    package let target: any DeviceTargetFactory
    package let environment: VirtualDeviceEnvironment

    package init(
        _ configuration: VirtualDeviceSettings, target: any DeviceTargetFactory, environment: VirtualDeviceEnvironment
    ) {
        self.configuration = configuration
        self.target = target
        self.environment = environment
    }

    package var friendlyName: String { self.configuration.friendlyName }
    package var listen: ListenAddress { self.configuration.listen }
    package var setup: [SetupKind: ListenAddress] {
        var addresses: [SetupKind: ListenAddress] = [:]
        addresses[.http] = self.configuration.setup.http
        addresses[.https] = self.configuration.setup.https
        return addresses
    }

    /// Returns why an address may not connect now; nil when it may.
    func obstacle(for address: String) -> String? { self.configuration.obstacle(for: address, self.environment.rights) }

    func facts(_ receiver: ReceiverIdentity) -> DeviceFacts {
        DeviceFacts(
            name: self.configuration.name, target: self.target.deviceName,
            description: VirtualDeviceDescription(configuration: self.configuration, identity: receiver))
    }
}
