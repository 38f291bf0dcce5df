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

    /// A position that is so close to the expected one, in seconds, is no news.
    private static let tolerance = 1.0

    private var last: Report?

    /// Takes a status.
    /// - Parameters:
    ///   - status: an element of MEDIA_STATUS.
    ///   - instant: when it came, in milliseconds since 1970.
    /// - Returns: what to tell; nil when readers know it already.
    mutating func receive(_ status: JSONObject, at instant: Int64) -> Report? {
        let told = MediaStatus(json: status)
        let known = self.last.map { MediaStatus(json: $0.status) }
        let isSame = told.mediaSessionID == nil || told.mediaSessionID == known?.mediaSessionID
        let status = told.completed(by: isSame ? known : nil).json
        var report = Report(status: status)
        if let seconds = told.tells("currentTime") ? told.currentTime : isSame ? self.position(at: instant) : nil {
            let rate = status.double("playbackRate") ?? 1
            report.position = (seconds, instant, status.string("playerState") == "PLAYING" && rate.isFinite ? rate : 0)
        }
        if let last, Self.isSame(last, report) { return nil }
        self.last = report
        return report
    }

    /// Where playback is by now, as the last status told; nil when it did not tell.
    private func position(at instant: Int64) -> Double? {
        self.last?.position.map { $0.seconds + $0.rate * Double(instant - $0.at) / 1000 }
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
