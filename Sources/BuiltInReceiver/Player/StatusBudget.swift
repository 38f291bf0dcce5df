import CastWire

/// How long a message may be, and what a status leaves out to keep to it.
enum StatusBudget {
    /// Messages to all. VLC gives up a connection on frames above about 10 KiB (protocol notes, 10).
    static let broadcast = 9_900
    /// Messages to one sender: what fits into a frame with the ends' names.
    static let message = 60_000

    /// What an answer to this sender may have.
    static func reply(to sender: EndpointID) -> Int {
        sender.rawValue.hasPrefix("sender-vlc") ? Self.broadcast : Self.message
    }

    /// Leaves out, in this order and only while it is too long, what a sender can ask for again or miss; in the end,
    /// when no frame would hold it, the media itself. The reserve is what else the message carries, in bytes.
    static func fit(_ status: MediaStatus, into limit: Int, reserving reserve: Int = 0) -> MediaStatus {
        var status = status
        func fits(_ limit: Int) -> Bool { JSONValue.object(status.json).textLength + 100 + reserve <= limit }
        guard !fits(limit) else { return status }
        for shorten in Self.softSteps {
            shorten(&status)
            if fits(limit) { return status }
        }
        let hardLimit = max(limit, Self.message)
        for shorten in Self.hardSteps where !fits(hardLimit) { shorten(&status) }
        return status
    }

    private static let softSteps: [@Sendable (inout MediaStatus) -> Void] = [
        { $0.items = nil },
        { $0.extendedStatus?.media = nil },
        { $0.queueData?.containerMetadata = nil },
        { $0.media?.customData = nil },
    ]

    private static let hardSteps: [@Sendable (inout MediaStatus) -> Void] = [
        { $0.queueData = nil },
        { status in
            status.media?.breakClips = nil
            status.media?.breaks = nil
        },
        { $0.media?.metadata = nil },
        { status in
            status.media?.textTrackStyle = nil
            status.media?.tracks = nil
        },
        { $0.media = nil },
        { $0.activeTrackIDs = [] },
    ]
}
