public import GatewayConfig

/// `admin.listen`: where the gateway is asked to do things.
public enum AdminAddress: Sendable, Hashable {
    /// The socket `admin.sock` in the state directory.
    case stateDirectory
    /// A socket of the file system.
    case socket(String)
    /// A loopback address.
    case tcp(ListenAddress)
    /// Nowhere.
    case off

    /// How many bytes the path of a socket may have: `sun_path` less its ending zero (unix(7)).
    public static let maximumPathLength = 107

    /// Reads `off`, `unix:PATH` or a loopback address with its port; nil for anything else.
    public init?(_ text: String) {
        if text == "off" {
            self = .off
        } else if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty else { return nil }
            self = .socket(path)
        } else {
            guard let address = ListenAddress(parsing: text), Self.isLoopback(address.host) else { return nil }
            self = .tcp(address)
        }
    }

    /// The path of the socket; nil when there is none.
    /// - Parameter stateDirectory: `gateway.state_directory`.
    public func socketPath(stateDirectory: String) -> String? {
        switch self {
        case .stateDirectory: "\(stateDirectory)/admin.sock"
        case .socket(let path): path
        case .tcp, .off: nil
        }
    }

    /// Whoever reaches the address may command the gateway, so it must not be reachable from elsewhere.
    private static func isLoopback(_ host: String) -> Bool {
        guard let bytes = IPAddress(host)?.unmapped.bytes else { return host == "localhost" }
        return bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }
}
