package import GatewayConfig
import SystemPrimitives

/// `admin`: how the gateway is asked to do things.
package struct AdminConfiguration: ConfigSettings, Hashable {
    /// Where it listens for that.
    package var listen = AdminAddress.stateDirectory
    /// How many connections there may be to it, 2 to 1024.
    package var maxConnections = 32

    /// The keys of `admin`.
    package static let keys: [Key] = [
        .custom(
            "listen", .text(maximumBytes: 256, pathPrefix: "unix:"), .optional,
            "Where `castway reload` and health checks reach the gateway: `unix:PATH`, a loopback address with its port, "
                + "or `off`. PATH starts at the folder of this file. Without it the socket `admin.sock` in the state directory, for the gateway's own user alone",
            example: "unix:/run/castway/admin.sock", reload: .restart,
            isSame: { $0.listen == $1.listen },
            read: { value, admin in
                if let address = value.string.flatMap(AdminAddress.init) { admin.listen = address }
            }),
        Key(
            "max_connections", \.maxConnections, .integer(2...1024),
            "How many connections there may be to the admin listener; so many descriptors are kept for it. When half of "
                + "them have no complete request, the oldest of those gives way",
            reload: .hot),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    package init() {}

    /// Adds what is wrong with the values, alone and together with those of `gateway`.
    package static func check(_ section: ConfigSection, gateway: ConfigSection, problems: inout ConfigProblems) {
        let text = section.optionalString("listen")
        if let text, AdminAddress(text) == nil {
            problems.add(
                .malformedValue, at: section.location("listen"),
                "'admin.listen' must be unix:PATH, a loopback address with its port, or off",
                hint: "what reaches it may command the gateway: 127.0.0.1:9095, or unix:/run/castway/admin.sock")
        }
        guard gateway.isValid("state_directory") || text != nil else { return }
        let admin = AdminConfiguration(reading: section)
        guard let path = admin.listen.socketPath(stateDirectory: gateway.string("state_directory")),
            path.utf8.count > AdminAddress.maximumPathLength
        else { return }
        problems.add(
            .outOfRange, at: text == nil ? gateway.location("state_directory") : section.location("listen"),
            "the path of the admin socket has \(path.utf8.count) bytes, but paths of sockets end at \(AdminAddress.maximumPathLength)",
            hint: text == nil ? "set admin.listen to a shorter path, unix:PATH" : nil)
    }
}

/// `admin.listen`: where the gateway is asked to do things.
package enum AdminAddress: Sendable, Hashable {
    /// The socket `admin.sock` in the state directory.
    case stateDirectory
    /// A socket of the file system.
    case socket(String)
    /// A loopback address.
    case tcp(ListenAddress)
    /// Nowhere.
    case off

    /// How many bytes the path of a socket may have: `sun_path` less its ending zero (unix(7)).
    package static let maximumPathLength = UnixSocketAddress.maximumPathLength

    /// Reads `off`, `unix:PATH` or a loopback address with its port; nil for anything else.
    package init?(_ text: String) {
        if text == "off" {
            self = .off
        } else if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty else { return nil }
            self = .socket(path)
        } else {
            // Every caller that reaches the address may command the gateway, so no other machine may reach it.
            guard let address = ListenAddress(parsing: text), address.isLoopback else { return nil }
            self = .tcp(address)
        }
    }

    /// The path of the socket; nil when there is none.
    /// - Parameter stateDirectory: `gateway.state_directory`.
    package func socketPath(stateDirectory: String) -> String? {
        switch self {
        case .stateDirectory: "\(stateDirectory)/admin.sock"
        case .socket(let path): path
        case .tcp, .off: nil
        }
    }
}
