import CastWire
import GatewayCore
import GatewayOperations

/// Every event that the gateway tells, declared once. Documents, AsyncAPI, webhook schemas and topics are made from it.
public enum EventCatalogue {
    /// The declarations, by family.
    public static let all: [EventDeclaration] =
        Self.senders + Self.channels + Self.virtualDevices + Self.mirroring + Self.passthrough + Self.receivers
        + Self.devices + Self.sessions.map(\.caused)
        + Self.media.map(\.caused) + Self.guests + Self.gateway

    /// The declarations by name.
    public static let named: [String: EventDeclaration] = Dictionary(
        Self.all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The declaration of events that plugins and handlers name themselves.
    public static let custom = EventDeclaration(
        "custom", .log, .gateway, "A handler or a plugin reports something; `type` is the name that it gave",
        [
            .init("name", .text, "The name as the handler or the plugin gave it"),
            .init("data", .anything, "What it reports"),
        ]
    ).caused

    // MARK: Senders

    private static let senders: [EventDeclaration] = [
        EventDeclaration(
            "sender.connected", .log, .virtualDevice, "A sender's channel was accepted",
            [Self.connection, .init("sender", .text, "Its address"), Self.standsFor]),
        EventDeclaration(
            "sender.introduced", .log, .virtualDevice,
            "A sender said what it is, as most do right after their channel stands; once for a channel",
            [Self.connection, .init("sender", .text, "Its address")] + Self.senderFacts),
        EventDeclaration(
            "sender.disconnected", .log, .virtualDevice, "A sender's channel is gone",
            [
                Self.connection, Self.reason,
                .optional(
                    "close_reason", Self.closeWords,
                    "The reason of the sender's CLOSE to the platform, or what follows from how the channel ended"),
            ]),
        EventDeclaration(
            "sender.refused", .log, .virtualDevice, "Connections of an address were turned away",
            [
                .init("sender", .text, "The address"), Self.reason,
                .init("count", .integer, "How many since the last such event of the address"),
            ]),
        EventDeclaration(
            "sender.throttled", .log, .virtualDevice,
            "An address sends faster than it may, and is read more slowly",
            [
                .init("sender", .text, "The address"),
                .init("count", .integer, "How many pauses since the last such event of the address"),
            ]),
        EventDeclaration(
            "channel.message", .log, .any, scope: .messages,
            "A message in an app's own namespace passed a virtual device, or the gateway's own session with a real one, or was answered there by "
                + "a channel or another handler; only where a reader, a channel or a caller names the namespace",
            [
                .init(
                    "via", .word(MessageVia.allCases.map(\.rawValue)),
                    "Whose connection it passed: the gateway's own session with the device, senders of a virtual device that relays, or "
                        + "senders of one that is the built-in receiver"),
                .init("namespace", .text, "The namespace"),
                .init("direction", .word(MessageDirection.allCases.map(\.rawValue)), "Where it goes"),
                .init("source", .text, "The end that sends"),
                .init("destination", .text, "The end that it is for; `*` for all"),
                .optional("json", .anything, "The payload, when it is JSON"),
                .optional("text", .text, "The payload, when it is other text"),
                .optional("base64", .text, "The payload, when it is binary"),
            ]
        ).caused,
        EventDeclaration(
            "message.rejected", .log, .any, "A message was refused",
            [
                .init("handler", .text, "What refused it"), Self.reason,
                .optional(
                    "sender", .text, "The sender's address; missing for messages of devices, plugins and callers"),
                Self.standsFor,
            ]
        ).caused,
        EventDeclaration(
            "handler.suspended", .log, .any,
            "A handler failed too often and is not asked for a while", [.init("handler", .text, "The handler")]),
    ]

    // MARK: Virtual devices

    private static let virtualDevices: [EventDeclaration] = [
        EventDeclaration(
            "virtual_device.added", .state(.virtualDevice), .virtualDevice, "A virtual device is there from now on", []),
        EventDeclaration(
            "virtual_device.described", .state(.description), .virtualDevice,
            "What senders see of a virtual device, when it is new and when a reload changed it",
            [.init("friendly_name", .text, "Its name"), .init("model", .text, "Its model")]),
        EventDeclaration(
            "virtual_device.removed", .state(.virtualDevice), .virtualDevice, endsResource: true,
            "A virtual device is not there any more", []),
        EventDeclaration(
            "group.member_added", .log, .virtualDevice,
            "A virtual device plays with a speaker group from now on, by `group.change` or a reload",
            [.init("member", .text, "The member's name")]),
        EventDeclaration(
            "group.member_removed", .log, .virtualDevice,
            "A virtual device plays with a speaker group no more, by `group.change` or a reload",
            [.init("member", .text, "The member's name")]),
        EventDeclaration(
            "receiver.status", .state(.virtualDevice), .virtualDevice,
            "A virtual device told its senders another status: apps, volume",
            [
                .init("status", .map(.anything), "The `status` of RECEIVER_STATUS"), Self.viaRelay, Self.target,
            ]
        ).caused,
        EventDeclaration(
            "media.status", .state(.media), .virtualDevice, "What plays on a virtual device has changed",
            [
                .optional(
                    "status", .map(.anything),
                    "An element of MEDIA_STATUS with what receivers leave out as unchanged; missing when nothing is loaded"
                ),
                .optional("transport_id", .text, "The app's end of virtual connections"), Self.viaRelay, Self.target,
            ] + Self.position
        ).caused,
        EventDeclaration(
            "session.started", .log, .virtualDevice, "An app runs on a virtual device",
            [
                Self.category, .init("session_id", .text, "The session's id"),
                .init("app", .text, "The id of the app"),
                .init("transport_id", .text, "The app's end of virtual connections"),
                .init("display_name", .text, "The app's name"),
                .init("namespaces", .list(.text), "What the app understands"),
                .optional(
                    "version_code", .integer,
                    "The number of the app's version, as the file gives it; missing where it gives none"),
            ]
        ).caused,
        EventDeclaration(
            "session.ended", .log, .virtualDevice, "An app on a virtual device stopped",
            [
                Self.category, .init("session_id", .text, "The session's id"), Self.reason,
                .optional("running_app", .text, "The app that runs instead"), Self.closeReason,
            ]
        ).caused,
    ]

    // MARK: Real devices and the search for them

    private static let devices: [EventDeclaration] = [
        EventDeclaration(
            "device.online", .state(.channel), .realDevice, "The channel to a real device is open", []),
        EventDeclaration(
            "device.offline", .state(.channel), .realDevice,
            "The channel to a real device is lost, or cannot be opened", [Self.reason]),
        EventDeclaration(
            "device.status", .state(.receiver), .realDevice,
            "A real device told another status of itself: apps, volume; by whichever sender it was changed",
            [.init("status", .map(.anything), "The `status` of RECEIVER_STATUS")]),
        EventDeclaration(
            "device.released", .state(.channel), .realDevice, endsResource: true,
            "No channel to a real device is kept any more; its status and what came of its authentication are forgotten too",
            []),
        EventDeclaration(
            "device.verified", .state(.authentication), .realDevice, "A real device proved that it is one",
            [
                .init("common_name", .text, "The name of its certificate"),
                .init("audio_only", .boolean, "Whether the certificate is of a device without pictures"),
            ]),
        EventDeclaration(
            "device.not_verified", .state(.authentication), .realDevice, "A real device did not prove that it is one",
            [
                Self.code, Self.reason, .init("refused", .boolean, "Whether it is not used for that"),
            ]),
        EventDeclaration(
            "device.list_will_update", .log, .gateway,
            "Changes of the device list follow, each with indices that are valid at its moment", []),
        EventDeclaration(
            "device.inserted", .state(.device), .realDevice, "A device is new in the list",
            [Self.device, .init("index", .integer, "Where it is in the list")]),
        EventDeclaration(
            "device.updated", .state(.device), .realDevice, "A device in the list says something else",
            [
                Self.device, .init("index", .integer, "Where it was in the list"),
                .init("new_index", .integer, "Where it is in the list"),
            ]),
        EventDeclaration(
            "device.removed", .state(.device), .realDevice, endsResource: true, "A device is not in the list any more",
            [Self.device, .init("index", .integer, "Where it was in the list")]),
        EventDeclaration(
            "device.list_did_update", .log, .gateway, "These were all changes of the device list",
            [.init("count", .integer, "How many devices are in the list")]),
        EventDeclaration(
            "discovery.started", .state(.discovery), .gateway, "Devices are searched for from now on", [Self.searched]),
        EventDeclaration(
            "discovery.stopped", .state(.discovery), .gateway, "Devices are not searched for any more", [Self.searched]
        ),
        EventDeclaration(
            "discovery.blocked", .state(.discovery), .gateway, "Devices are to be searched for, and cannot",
            [Self.searched, Self.reason]),
    ]

    // MARK: The gateway itself

    private static let gateway: [EventDeclaration] = [
        EventDeclaration(
            "gateway.cast_state", .state(.gateway), .gateway,
            "How casting stands as a whole has changed; of several sessions the one that is furthest counts",
            [
                .init(
                    "state", .word(CastState.allCases.map(\.rawValue)),
                    "How it stands: whether devices are listed, and how the gateway's own sessions with them are"),
                .optional(
                    "previous", .word(CastState.allCases.map(\.rawValue)), "How it stood before; missing at the start"),
            ]),
        EventDeclaration(
            "credentials.pending", .log, .gateway,
            "Launch credentials were set or cleared; apps that run now do not learn of it",
            [.optional("app", .text, "The app; missing for those that have none of their own")]),
        EventDeclaration(
            "launch.changed", .log, .gateway, "What launches follow was chosen or taken back by an operation",
            [
                .init("keys", .list(.text), "The names of what changed, as `launch.set` has them"),
                .optional("category", .text, "For whose devices; missing for all"),
            ]),
        EventDeclaration(
            "config.reloaded", .log, .gateway, "A new configuration is in force",
            [.init("changes", .list(.text), "The keys that changed")]),
        EventDeclaration(
            "config.reload_failed", .log, .gateway, "A new configuration was refused, and the old one stays",
            [Self.reason]),
        EventDeclaration(
            "log.record", .log, .gateway, scope: .admin,
            "A line of the gateway's log, where `log.sinks` has `events`; only for readers that name it, and not kept",
            [
                .init(
                    "level", .word(["trace", "debug", "info", "notice", "warning", "error", "critical"]), "Its level"),
                .init("component", .text, "The component"),
                .init("message", .text, "What it says, up to 4096 characters"),
                .init("time", .text, "When it was made, RFC 3339"),
                .optional("fields", .map(.anything), "Its fields; missing when there are none, or more than 16 KiB"),
                .optional("function", .text, "The function that made it, where `origin` asks for it"),
                .optional("location", .text, "Where that is: `Class(Extension):LINE`"),
                .optional("left_out", .integer, "How many lines before it were left out, since there were too many"),
            ]
        ).live,
        EventDeclaration(
            "request.changed", .log, .any, "A command of a caller went on",
            [
                .init("id", .text, "The request"),
                .init("request", .map(.anything), "The request as `request.get` gives it"),
            ]
        ).caused,
        Self.plugin(
            "plugin.ready", "A plugin answers messages from now on", [.init("version", .text, "Its version")]),
        Self.plugin(
            "plugin.degraded",
            "A plugin works, and says that something is not as it should be; or works again after that",
            [.optional("reason", .text, "What is wrong; missing when it works again")]),
        Self.plugin(
            "plugin.crashed", "A plugin ended without having been asked to",
            [Self.reason, .init("lines", .list(.text), "The last that it wrote to its standard error")]),
        Self.plugin(
            "plugin.crashlooped", "A plugin ends again and again, and is tried at long intervals", [Self.reason]),
        Self.plugin("plugin.stopped", "A plugin ended as it was meant to, or is not started any more", [Self.reason]),
        Self.plugin(
            "plugin.removed", endsResource: true, "A plugin ended, and is not in the configuration any more", []),
        Self.bridge("bridge.up", "A bridge can be reached again, and what waits is on its way"),
        Self.bridge("bridge.down", "A bridge cannot be reached; messages for it wait", [Self.reason]),
        Self.bridge(
            "bridge.disabled", "A bridge wants nothing any more (HTTP 410); messages wait until `bridge.resume`",
            [Self.reason]),
        Self.bridge(
            "bridge.overflow", "Messages for a bridge were not taken, since too much waits for it",
            [.init("count", .integer, "How many since the last such event")]),
        Self.bridge(
            "bridge.dead_letter", "A message was given up, and is kept as a dead letter",
            [
                .init("id", .text, "Its id, as `outbox.list` has it"), .init("type", .text, "What it is"),
                .optional("message_device", .text, "The device that it is about"), Self.reason,
            ]),
        EventDeclaration(
            "catalogue.read", .log, .gateway,
            "A list of videos was read: for the first time, after a failure, or with other items than before",
            [Self.catalogue, .init("items", .integer, "How many items are in it")]),
        EventDeclaration(
            "catalogue.failed", .log, .gateway,
            "A list of videos could not be read; one that was read before stays in use",
            [
                Self.catalogue,
                .init(
                    "code", .text,
                    "What went wrong: `http_status`, `malformed`, `too_large`, `timeout`, `unreachable`, `refused_address`, `redirect` "
                        + "or `file`"),
                Self.reason, .optional("status", .integer, "The HTTP status, when it was not 200"),
            ]),
        Self.custom,
    ]

    private static let catalogue = OperationResult.Member("catalogue", .text, "The name of the list")

    private static func bridge(
        _ name: String, _ summary: String, _ members: [OperationResult.Member] = []
    ) -> EventDeclaration {
        EventDeclaration(
            name, .log, .gateway, summary,
            [.init("bridge", .text, "Which: `mqtt`, `webhook:NAME`, or `app` for messages to apps")] + members)
    }

    private static func plugin(
        _ name: String, endsResource: Bool = false, _ summary: String, _ members: [OperationResult.Member]
    ) -> EventDeclaration {
        EventDeclaration(
            name, .state(.plugin), .gateway, endsResource: endsResource, summary,
            [.init("plugin", .text, "Its name")] + members)
    }

    // MARK: Members that several have

    private static let connection = OperationResult.Member(
        "connection", .integer, "The number of the channel in this run of the gateway")
    private static let searched = OperationResult.Member("category", .text, "Which provider's devices: `cast`")
    static let category = OperationResult.Member(
        "category", .text, "Whose device it is: `cast`, `plugin:NAME`, or `virtual` for a virtual device")
    private static let device = OperationResult.Member(
        "device", .map(.anything), "The device, as `castway devices --json` shows it")
    private static let viaRelay = OperationResult.Member.optional(
        "via", .word(["relay", "local"]), "Whether it came from a real device or from the built-in receiver")
    private static let target = OperationResult.Member.optional(
        "target", .text, "The real device that it came from; missing for the built-in receiver")
    static let standsFor = OperationResult.Member.optional(
        "count", .integer,
        "How many such events of the same source it stands for: itself, and those left out since the last one; missing for one alone"
    )
    static let reason = OperationResult.Member("reason", .text, "Why, in a few words")
    /// Why connections are closed, in the words of the protocol's numbers.
    static let closeWords = OperationResult.Kind.word(ConnectionPayload.CloseReason.allCases.map(\.word))
    static let closeReason = OperationResult.Member.optional(
        "close_reason", Self.closeWords,
        "What the app said when it closed connections before its end, in the words of the protocol's numbers; missing when it closed none"
    )
    static let code = OperationResult.Member("code", .text, "The code of the error in a word")
    static let position: [OperationResult.Member] = [
        .optional(
            "position", .number, "Where playback is, in seconds, at the instant `at`; missing when it is not known"),
        .optional("at", .text, "When the position held, RFC 3339"),
        .optional(
            "rate", .number,
            "How many seconds of the media pass in one; 0 while it does not play. Positions are not told again while they "
                + "are what follows from this"),
    ]
}
