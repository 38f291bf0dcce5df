public import GatewayConfig

extension SessionsConfiguration {
    /// The keys of `sessions`.
    public static let schema = ConfigSchema.object([
        ConfigField(
            "restore_on_start",
            .boolean,
            .defaultsTo("true"),
            "Whether sessions that still run on their devices are taken up again when the gateway starts"
        ),
        ConfigField(
            "polite",
            .boolean,
            .defaultsTo("true"),
            "Whether a session is given up when another sender has launched its app anew meanwhile"
        ),
        ConfigField(
            "stop_app_on_end",
            .boolean,
            .defaultsTo("false"),
            "Whether ending a session stops its app, when whoever ends it does not say"
        ),
        ConfigField(
            "suspend_after",
            .duration(.zero ... .seconds(3600)),
            .defaultsTo("30s"),
            "How long a device may be out of reach before its senders are told and sessions are suspended"
        ),
        ConfigField(
            "wait_for_device",
            .duration(.zero ... .seconds(10)),
            .defaultsTo("4s"),
            "How long a sender that asks a device out of reach for its status or its apps waits for it before it is told that "
                + "nothing is there; `0s` means not at all. Chromium takes 5 s for a failure"
        ),
    ])

    /// Reads the typed values from a checked section.
    public init(reading section: ConfigSection) {
        self.init(
            restoresOnStart: section.boolean("restore_on_start"),
            isPolite: section.boolean("polite"),
            stopsAppOnEnd: section.boolean("stop_app_on_end"),
            suspendAfter: section.duration("suspend_after"),
            waitForDevice: section.duration("wait_for_device")
        )
    }
}
