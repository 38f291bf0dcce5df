package import GatewayConfig

/// `pictures`: pictures of media and apps that the gateway fetches and keeps for callers.
package struct PicturesConfiguration: ConfigSettings, Hashable {
    /// The plugin that is asked for pictures.
    package struct Source: ConfigObject, Hashable {
        /// The name of the plugin's instance.
        package var plugin = ""

        package static let keys: [Key] = [
            .required(
                "plugin", \.plugin, .text(maximumBytes: 64),
                "The name of an instance in `plugins.instances` whose `plugin.yaml` has `provides: [picture]`",
                example: "thumbnails")
        ]

        package init(blank: ConfigBlank) {}

        package init(plugin: String) {
            self.plugin = plugin
        }
    }

    /// The number of bytes all kept pictures have together.
    package var total = 64 << 20
    /// The number of bytes one may have.
    package var size = 4 << 20
    /// The time one is kept.
    package var age = Duration.seconds(3600)
    /// The time fetching one may take.
    package var timeout = Duration.seconds(10)
    /// Allows servers in a local network or on this machine.
    package var allowsPrivate = false
    /// Allows addresses without TLS.
    package var allowsPlaintext = false
    /// The plugin that is asked for pictures; nil when the gateway fetches them from where they are.
    package var source: Source?

    package static let keys: [Key] = [
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

    package init() {}

    /// Adds a picture that may be larger than all together.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.isValid("total"), section.isValid("size"), section.size("size") > section.size("total")
        else { return }
        problems.add(
            .inconsistent, at: section.location("size"),
            "'\(section.path("size"))' is more than '\(section.path("total"))', so that the largest would never be kept"
        )
    }
}
