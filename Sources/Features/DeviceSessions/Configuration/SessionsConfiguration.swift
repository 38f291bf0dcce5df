package import GatewayConfig

/// `sessions.join`: which running apps operations may join that need one.
package enum SessionJoinPolicy: String, Hashable, Sendable, CaseIterable {
    /// Whatever runs.
    case any
    /// Sessions that a session of the gateway's own has been connected to in this run.
    case own
    /// None: an app is joined by `session.start` alone.
    case never
}

/// `sessions`: how Castway keeps its own sessions and those of its senders.
package struct SessionsConfiguration: ConfigSettings {
    /// Resumes sessions that still run on their devices when the gateway starts.
    package var restoresOnStart = true
    /// True if a session is given up when another sender has launched the app anew.
    package var isPolite = true
    /// Stops the app of a session that ends, when the caller that ends it does not say.
    package var stopsAppOnEnd = false
    /// The time a device may be out of reach before senders are told, and sessions suspended.
    package var suspendAfter = Duration.seconds(30)
    /// The time a sender's question waits for a device that is out of reach; zero for not at all.
    package var waitForDevice = Duration.seconds(4)
    /// The running apps that operations may join when they need one.
    package var join = SessionJoinPolicy.any
    /// The time without a call or a reader of events after which the gateway's own sessions are suspended; nil for
    /// never.
    package var suspendWhenUnused: Duration?
    /// The time devices and apps may take to answer.
    package var timeouts = SessionTimeouts()

    package static let keys: [Key] = [
        Key(
            "restore_on_start", \.restoresOnStart, .boolean,
            "Whether sessions that still run on their devices are taken up again when the gateway starts"),
        Key(
            "polite", \.isPolite, .boolean,
            "Whether a session is given up when another sender has launched its app anew meanwhile"),
        Key(
            "stop_app_on_end", \.stopsAppOnEnd, .boolean,
            "Whether ending a session stops its app, when the caller that ends it does not say"),
        Key(
            "suspend_after", \.suspendAfter, .duration(.zero ... .seconds(3600)),
            "How long a device may be out of reach before its senders are told and sessions are suspended"),
        Key(
            "wait_for_device", \.waitForDevice, .duration(.zero ... .seconds(10)),
            "How long a sender that asks a device out of reach for its status or its apps waits for it before it is told that "
                + "nothing runs, and that its apps are not known; `0s` means not at all. Chromium takes 5 s for a failure"
        ),
        Key(
            "join", \.join, .word,
            "Which apps that run on a real device operations such as `media.pause` may join: `any`, those that a session of the gateway's own "
                + "has been connected to since it started (`own`), or none (`never`), so that `session.start` has to come first"
        ),
        .optional(
            "suspend_when_unused", \.suspendWhenUnused, .duration(.seconds(1) ... .seconds(86_400)),
            "After which time without a call, an event stream or a command by MQTT the gateway's own sessions are suspended, as apps on phones do in the "
                + "background; the first call or reader resumes them. Without it they are kept",
            example: "5m"),
        .section(
            "timeouts",
            "How long real devices and their apps may take to answer the gateway's own requests and those of callers; what takes longer fails with `timeout`. "
                + "Senders of virtual devices wait as long as they like",
            [
                Key(
                    "answer", \.timeouts.answer, .duration(.seconds(1) ... .seconds(60)),
                    "How long an answer of a device, or of an app about its media, may take"),
                Key(
                    "launch", \.timeouts.launch, .duration(.seconds(1) ... .seconds(300)),
                    "How long a device may take to come in reach and say what runs, and then again to launch an app"),
                Key(
                    "consent", \.timeouts.consent, .duration(.seconds(1) ... .seconds(600)),
                    "How long a launch may take from the moment at which the device asks its user"),
                Key(
                    "load", \.timeouts.load, .duration(.seconds(1) ... .seconds(600)),
                    "How long an app may take to load media"),
            ]),
    ]

    package init() {}
}
