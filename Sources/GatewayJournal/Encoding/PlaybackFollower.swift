import CastWire

/// What plays on one device or in one session, as its statuses tell: completes what receivers leave out, and finds out which
/// statuses say nothing but that time has passed.
struct PlaybackFollower: Sendable {
    /// What a status comes to.
    struct Report: Sendable {
        var status: JSONObject
        /// Seconds, at an instant in milliseconds since 1970, and how fast it changes; nil when the receiver does not tell.
        var position: (seconds: Double, at: Int64, rate: Double)?
    }

    /// Fields that stay as they were when a status of the same media session leaves them out.
    private static let lasting = [
        "media", "items", "queueData", "repeatMode", "currentItemId", "activeTrackIds", "volume",
        "supportedMediaCommands",
        "playbackRate", "playerState", "currentTime", "videoInfo", "liveSeekableRange",
    ]
    /// A position that is so close to the expected one, in seconds, is no news.
    private static let tolerance = 1.0

    private var last: Report?

    /// Takes a status.
    /// - Parameters:
    ///   - status: an element of MEDIA_STATUS.
    ///   - instant: when it came, in milliseconds since 1970.
    /// - Returns: what to tell; nil when readers know it already.
    mutating func receive(_ status: JSONObject, at instant: Int64) -> Report? {
        var status = status
        if let known = self.last?.status, status.int("mediaSessionId") == known.int("mediaSessionId") {
            for name in Self.lasting where status[name] == nil {
                if let value = known[name] { status[name] = value }
            }
        }
        var report = Report(status: status)
        if let seconds = status.double("currentTime"), seconds.isFinite {
            let rate = status.double("playbackRate") ?? 1
            report.position = (seconds, instant, status.string("playerState") == "PLAYING" && rate.isFinite ? rate : 0)
        }
        if let last, Self.isSame(last, report) { return nil }
        self.last = report
        return report
    }

    private static func isSame(_ last: Report, _ new: Report) -> Bool {
        guard (last.position == nil) == (new.position == nil) else { return false }
        if let before = last.position, let now = new.position {
            guard before.rate == now.rate else { return false }
            let expected = before.seconds + before.rate * Double(now.at - before.at) / 1000
            guard abs(expected - now.seconds) < Self.tolerance else { return false }
        }
        var (left, right) = (last.status, new.status)
        left["currentTime"] = nil
        right["currentTime"] = nil
        return left.isEquivalent(to: right)
    }
}
