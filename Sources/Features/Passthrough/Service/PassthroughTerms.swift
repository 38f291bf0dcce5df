package import DeviceListening
package import GatewayConfig

/// The terms of one device that is passed through: its settings, and what it shares with others.
package struct PassthroughTerms: ListeningTerms {
    package let settings: PassthroughSettings
    package let environment: PassthroughEnvironment

    package init(_ settings: PassthroughSettings, environment: PassthroughEnvironment) {
        self.settings = settings
        self.environment = environment
    }

    /// The name in `gateway.yaml`: senders show that of the real device.
    package var friendlyName: String { self.settings.name }
    package var listen: ListenAddress { self.settings.listen }
    package var setup: [SetupKind: ListenAddress] { self.settings.setup.map { [.http: $0] } ?? [:] }
}
