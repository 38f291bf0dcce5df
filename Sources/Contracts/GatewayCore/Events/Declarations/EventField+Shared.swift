import CastWire

/// Fields that several events have.
extension EventField {
    /// The kind of reasons for which connections are closed, in the words of the protocol's numbers.
    static var closeWords: JSONKind { .word(ConnectionPayload.CloseReason.allCases.map(\.word)) }

    static func reason(_ reason: String) -> EventField { EventField("reason", reason, "Why, in a few words") }

    static func code(_ code: CastErrorCode) -> EventField {
        EventField("code", code.name, "The code of the error in a word").forPlugins(as: nil)
    }

    static func castCode(_ code: CastErrorCode) -> EventField {
        EventField("cast_code", code.rawValue, "The same as the number of the Cast SDKs").forPlugins(as: nil)
    }

    static func category(_ category: DeviceCategory) -> EventField {
        EventField(
            "category", category.rawValue,
            "Whose device it is: `cast`, `plugin:NAME`, or `virtual` for a virtual device"
        ).forPlugins(as: nil)
    }

    static func closeReason(_ reason: ConnectionPayload.CloseReason?) -> EventField {
        EventField.optional(
            "close_reason", reason?.word,
            "What the app said when it closed connections before its end, in the words of the protocol's numbers; missing when it closed none",
            as: Self.closeWords
        ).forPlugins(as: nil)
    }

    static func runningApp(_ app: AppID?) -> EventField {
        EventField.optional("running_app", app?.rawValue, "The app that runs instead").forPlugins(as: nil)
    }

    static func mediaStatus(_ status: JSONObject?) -> EventField {
        EventField.optional(
            "status", status,
            "An element of MEDIA_STATUS with what receivers leave out as unchanged; missing when nothing is loaded")
    }

    /// The number of events of the same source; the journal knows it.
    static let standsFor = EventField.optional(
        "count", Int?.none,
        "How many such events of the same source it stands for: itself, and those left out since the last one; missing for one alone"
    )

    /// Where a status came from; the journal knows it.
    static let origin = [
        EventField.optional(
            "via", String?.none, "Whether it came from a real device or from the built-in receiver",
            as: .word([MessageVia.relay.rawValue, MessageVia.local.rawValue])),
        EventField.optional(
            "target", String?.none, "The real device that it came from; missing for the built-in receiver"),
    ]

    /// How far playback is; the journal computes it.
    static let position = [
        EventField.optional(
            "position", Double?.none,
            "Where playback is, in seconds, at the instant `at`; missing when it is not known"),
        EventField.optional("at", String?.none, "When the position held, RFC 3339"),
        EventField.optional(
            "rate", Double?.none,
            "How many seconds of the media pass in one; 0 while it does not play. Positions are not told again while they "
                + "are what follows from this"),
    ]
}

/// Events that are declared together, as a part of ``GatewayEvent``.
package protocol EventFamily: Hashable, Sendable {
    /// A blank event for each that is declared, in the order of the catalogue.
    static var examples: [Self] { get }
}

extension EventFamily {
    package typealias Event = EventDeclaration
}
