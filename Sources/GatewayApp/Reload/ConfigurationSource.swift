/// Where a gateway reads its configuration anew.
public struct ConfigurationSource: Sendable {
    /// Reads and checks the file.
    public let load: @Sendable () -> GatewayConfigurationResult

    /// - Parameter load: called off the event loops, for every reload; blocks while it reads.
    public init(load: @escaping @Sendable () -> GatewayConfigurationResult) {
        self.load = load
    }
}
