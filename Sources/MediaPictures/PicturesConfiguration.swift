public import GatewayConfig

/// `pictures`: pictures of media and apps that the gateway fetches and keeps for callers.
public struct PicturesConfiguration: ConfigSettings, Hashable {
    /// Which plugin is asked for pictures.
    public struct Source: ConfigObject, Hashable {
        /// The name of the plugin's instance.
        public var plugin = ""

        /// The keys of `pictures.source`.
        public static let keys: [Key] = [
            .required(
                "plugin", \.plugin, .text(maximumBytes: 64),
                "The name of an instance in `plugins.instances` whose `plugin.yaml` has `provides: [picture]`",
                example: "thumbnails")
        ]

        /// What holds before anything is read.
        public init(blank: ConfigBlank) {}

        /// Names a plugin.
        public init(plugin: String) {
            self.plugin = plugin
        }
    }

    /// How many bytes all kept pictures have together.
    public var total = 64 << 20
    /// How many bytes one may have.
    public var size = 4 << 20
    /// How long one is kept.
    public var age = Duration.seconds(3600)
    /// How long fetching one may take.
    public var timeout = Duration.seconds(10)
    /// Whether servers may be in a local network or on this machine.
    public var allowsPrivate = false
    /// Whether addresses may be without TLS.
    public var allowsPlaintext = false
    /// The plugin that is asked for pictures; nil when the gateway fetches them from where they are.
    public var source: Source?

    /// The keys of `pictures`.
    public static let keys: [Key] = [
        Key(
            "total", \.total, .size((1 << 20)...(1 << 30)),
            "How much memory all kept pictures take together; those that nothing asked for the longest go first, and there are never more than 4096"
        ),
        Key("size", \.size, .size(1024...(16 << 20)), "How large a picture may be; up to eight are fetched at once"),
        Key(
            "age", \.age, .duration(.seconds(1) ... .seconds(7 * 86400)),
            "How long a picture is kept before it is fetched again. That one could not be fetched is kept for 30 seconds"
        ),
        Key(
            "timeout", \.timeout, .duration(.milliseconds(100) ... .seconds(60)),
            "How long fetching one may take, with the plugin's answer, look-ups and redirects"),
        Key(
            "allow_private", \.allowsPrivate, .boolean,
            "Whether servers may have addresses of local networks and of this machine; senders name the pictures, so they can then have the "
                + "gateway ask any server there. Link-local and metadata addresses are always refused"),
        Key("allow_http", \.allowsPlaintext, .boolean, "Whether addresses of pictures may be `http://`"),
        .optional(
            "source", \.source, .object,
            "Who is asked for pictures before anything is fetched: a plugin, which gives the bytes or another address"),
    ]

    /// Makes settings with the defaults of `gateway.yaml`.
    public init() {}

    /// Adds a picture that may be larger than all together.
    public static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.isValid("total"), section.isValid("size"), section.size("size") > section.size("total")
        else { return }
        problems.add(
            .inconsistent, at: section.location("size"),
            "'\(section.path("size"))' is more than '\(section.path("total"))', so that the largest would never be kept"
        )
    }
}
