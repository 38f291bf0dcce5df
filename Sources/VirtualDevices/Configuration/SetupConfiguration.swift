public import GatewayConfig

/// `virtual_devices[].setup`: where the set-up service (`/setup/eureka_info`) of a virtual device answers.
public struct SetupConfiguration: Sendable, Equatable {
    /// The address for HTTP, usually port 8008; nil switches it off.
    public var http: ListenAddress?
    /// The address for HTTPS, usually port 8443; nil switches it off.
    public var https: ListenAddress?

    /// Makes a configuration from its parts; both are off by default.
    public init(http: ListenAddress? = nil, https: ListenAddress? = nil) {
        self.http = http
        self.https = https
    }
}
