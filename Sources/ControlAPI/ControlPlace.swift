public import GatewayConfig
public import GatewayCore

/// Where an admin listener came to listen.
public enum ControlPlace: Sendable, Hashable {
    /// At a socket of the file system.
    case socket(String)
    /// At a loopback address.
    case tcp(ListenAddress)
    /// Nowhere: it is off, or its socket cannot be made.
    case nowhere

    /// Looks whether another gateway answers at the place that a configuration names. Changes nothing.
    ///
    /// - Parameter stateDirectory: `gateway.state_directory`.
    /// - Throws: ``GatewayError`` with `listenFailed` when one does.
    public static func checkFree(
        _ configuration: AdminConfiguration, stateDirectory: String
    ) throws(GatewayError) {
        guard let path = configuration.listen.socketPath(stateDirectory: stateDirectory) else { return }
        try SocketFile(path: path).checkFree()
    }
}
