public import GatewayConfig

extension ChannelConfiguration {
    /// The keys of one element of `channels`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "namespace",
            .namespace,
            .required,
            "The namespace",
            example: "\"urn:x-cast:com.example.echo\""
        ),
        ConfigField(
            "handler",
            .word(Handler.self),
            .required,
            "`echo` sends every message back, `broadcast` sends it to every sender of the app",
            example: "echo"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            namespace: section.string("namespace"),
            handler: section.word("handler", as: Handler.self, otherwise: .echo)
        )
    }

    /// Adds what is wrong with the namespace of one channel.
    /// - Parameter owned: Namespaces that have an owner already, with who it is, for people.
    public static func check(_ section: ConfigSection, owned: [String: String], problems: inout ConfigProblems) {
        let namespace = section.string("namespace")
        problems.addIfReserved(namespace, at: section.location("namespace"))
        guard section.isValid("namespace"), let owner = owned[namespace] else { return }
        problems.add(
            .claimConflict, at: section.location("namespace"),
            "'\(namespace)' is no custom namespace: \(owner) handles it",
            hint: "use a namespace of your own, such as urn:x-cast:com.example.echo")
    }
}
