public import GatewayConfig

extension AdminConfiguration {
    /// The keys of `admin`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "listen",
            .text(maximumBytes: 256, pathPrefix: "unix:"),
            .optional,
            "Where `castway reload` and health checks reach the gateway: `unix:PATH`, a loopback address with its port, "
                + "or `off`. PATH starts at the folder of this file. Without it the socket `admin.sock` in the state directory, for the gateway's own user alone",
            example: "unix:/run/castway/admin.sock",
            reload: .restart
        ),
        ConfigField(
            "max_connections",
            .integer(2...1024),
            .defaultsTo("32"),
            "How many connections there may be to the admin listener; so many descriptors are kept for it. When half of "
                + "them have no complete request, the oldest of those gives way",
            reload: .hot
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            listen: section.optionalString("listen").flatMap(AdminAddress.init) ?? .stateDirectory,
            maxConnections: section.optionalInteger("max_connections") ?? 32)
    }

    /// Adds what is wrong with the values, alone and together with those of `gateway`.
    public static func check(_ section: ConfigSection, gateway: ConfigSection, problems: inout ConfigProblems) {
        let text = section.optionalString("listen")
        if let text, AdminAddress(text) == nil {
            problems.add(
                .malformedValue, at: section.location("listen"),
                "'admin.listen' must be unix:PATH, a loopback address with its port, or off",
                hint: "whoever reaches it may command the gateway: 127.0.0.1:9095, or unix:/run/castway/admin.sock")
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
