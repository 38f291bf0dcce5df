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
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        problems.addIfReserved(section.string("namespace"), at: section.location("namespace"))
    }
}
