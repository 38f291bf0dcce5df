import GatewayCore
import GatewayJournal
import GatewayOperations

/// What operations say of devices and senders.
enum DeviceResult {
    typealias Member = OperationResult.Member

    /// A virtual device.
    static let virtual: [Member] =
        ListVirtualDevices.members + [
            .init("category", .word([DeviceCategory.virtual.rawValue]), "Whose device it is: the gateway's own"),
            .optional(
                "target_online", .boolean, "Whether the device behind it answers; missing for the built-in receiver"),
            .init("senders", .integer, "How many senders are connected"),
            .optional(
                "traffic",
                .object([
                    .init("announced_in", .list(.text), "The network interfaces in which it is announced"),
                    .init("connected", .integer, "How many connections of senders stood since it began"),
                    .init("refused", .integer, "How many ended before they stood"),
                    .init("bytes_from_senders", .integer, "What has come from senders, in bytes"),
                    .init("bytes_from_device", .integer, "What has come from the device, in bytes"),
                ]), "What has passed through; missing for a device whose senders end here"),
            .init("apps", .list(.object(AppDescription.members)), "What runs on it, without the idle screen"),
            .init(
                "streams", .list(.object(Self.stream)),
                "The streams of mirroring senders that are carried to the device"),
            .init(
                "suspended_handlers", .list(.text), "The handlers that failed too often and are not asked for a while"),
        ]

    /// A virtual device with its senders.
    static let virtualWithSenders: [Member] =
        Self.virtual + [.init("connected", .list(.object(Self.sender)), "The senders, the oldest first")]

    /// The stream of a mirroring sender.
    private static let stream: [Member] = [
        .init("connection", .text, "The sender's connection: `c7`"), .init("sender", .text, "The sender's address"),
        .optional("app", .text, "The app that shows it"), .optional("session_id", .text, "The app's session"),
        .init("since", .integer, "Since when it is carried, in seconds since 1970"),
        .init("address", .text, "Where the sender sends to, without the port"),
        .init("port", .integer, "The UDP port there"), .init("device_port", .integer, "The UDP port of the device"),
        .init("packets", .object(Self.bothWays), "How many datagrams passed"),
        .init("bytes", .object(Self.bothWays), "Their content in bytes"),
        .init("dropped", .integer, "How many datagrams did not pass"),
        .init("drops", .map(.integer), "The same by reason; a reason that no datagram had is missing"),
    ]

    private static let bothWays: [Member] = [
        .init("to_device", .integer, "From the sender to the device"),
        .init("to_sender", .integer, "From the device to the sender"),
    ]

    /// A real device.
    static let real: [Member] = [
        .init("name", .text, "Its name in the gateway: that of the file, or else its id"),
        .init("friendly_name", .text, "What it calls itself"),
        .init(
            "state", .word(["online", "offline", "found", "unanswered"]),
            "Whether it answers; `found` when it is in the network and the gateway keeps no channel to it, `unanswered` when the gateway itself does not say"
        ),
        .init("announced", .boolean, "Whether it is heard in the network"),
        .optional("since", .integer, "Since when it is online or offline, in seconds since 1970"),
        .optional("reason", .text, "Why it is offline"),
        .optional("address", .text, "Where it is, or was dialled last"),
        .init("addresses", .list(.text), "Where it may be, best first"),
        .optional(
            "index", .integer, "Its place in the device list, as device events have it; missing when it is not listed"),
        .optional(
            "attributes", .map(.text), "What callers keep with it by `device.attributes`; missing when nothing is"),
        .init(
            "source", .text,
            "Why it is known: `file` (`discovery.static`, or what a virtual device relays to), `network`, or `plugin:NAME`"
        ),
        .init(
            "category", .text,
            "Whose device it is: `cast` for one that is heard or written down, `plugin:NAME` for one that a plugin names. It stands before the id in "
                + "the unique id that device events have"),
        .optional("id", .text, "Its id; `static:NAME` for one that was written down and never heard"),
        .optional("model", .text, "Its model"),
        .optional("type", .word(["generic", "tv", "speaker", "speaker_group"]), "What it is to people"),
        .optional("capabilities", .list(.text), "What it can do"),
        .optional("status_text", .text, "What it says of what it does"),
        .optional(
            "authentication",
            .object([
                .init(
                    "outcome",
                    .word(["verified", "verified_without_nonce", "without_nonce", "failed", "unavailable"]),
                    "What came of asking it to prove that it is a Cast device"),
                .init("text", .text, "The same in a sentence"),
                .init("time", .integer, "When it was asked last, in seconds since 1970"),
            ]), "Its proof of authenticity; missing when it was not asked"),
        .optional(
            "volume",
            .object([
                .optional("level", .number, "From 0 to 1"), .optional("muted", .boolean, "Whether it is silent"),
            ]), "Its volume, as it said last"),
        .init("apps", .list(.object(AppDescription.members)), "What runs on it, without the idle screen"),
        .init("virtual_devices", .list(.text), "The virtual devices that it stands behind"),
    ]

    /// A sender.
    static let sender: [Member] =
        [
            .init("id", .text, "Its connection, unique while the gateway runs: `c7`"),
            .init("address", .text, "Where it comes from"),
            .init("since", .integer, "Since when it is connected, in seconds since 1970"),
        ] + EventCatalogue.senderFacts + [
            .init("apps", .list(.text), "The apps that it is connected to"),
            .init("throttled", .boolean, "Whether it has to wait now, since its address sends more than it may"),
            .optional(
                "throttled_at", .integer, "When a connection of its address had to wait last, in seconds since 1970"),
        ]
}
