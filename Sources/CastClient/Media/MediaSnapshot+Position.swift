public import CastWire
public import NIOCore

/// Where playback is by now, as far as the last status tells.
extension MediaSnapshot {
    /// Seconds of the media that have been played by now: the status' time plus what has passed since, at the rate of
    /// playback; never before the start nor behind the end, and within what can be reached of a live stream. 0 without media.
    public func position(at now: NIODeadline) -> Double {
        guard let status, let told = status.currentTime, told.isFinite else { return 0 }
        var position = told
        if self.playerState == .playing, self.currentBreak == nil {
            let advanced = told + self.elapsed(until: now) * self.playbackRate
            if advanced.isFinite { position = advanced }
        }
        if let range = self.liveSeekableRange(at: now), let start = range.start, let end = range.end, start <= end,
            start.isFinite, end.isFinite
        {
            return min(max(position, start), end)
        }
        if let duration = self.media?.duration, duration > 0, duration.isFinite { position = min(position, duration) }
        return max(position, 0)
    }

    /// What can be reached of a live stream by now; nil without.
    ///
    /// The end of a stream that goes on moves with time, and its start too when it is a moving window.
    public func liveSeekableRange(at now: NIODeadline) -> LiveSeekableRange? {
        guard var range = self.status?.liveSeekableRange else { return nil }
        guard range.isLiveDone != true else { return range }
        let elapsed = self.elapsed(until: now)
        range.end = range.end.map { $0 + elapsed }
        if range.isMovingWindow == true { range.start = range.start.map { $0 + elapsed } }
        return range
    }

    /// Seconds behind the live edge; nil when the medium is no live stream with a known range.
    public func behindLiveEdge(at now: NIODeadline) -> Double? {
        guard self.isLive, let end = self.liveSeekableRange(at: now)?.end else { return nil }
        return max(end - self.position(at: now), 0)
    }

    /// The break that plays; nil while the medium itself does.
    public var currentBreak: BreakStatus? {
        guard let breakStatus = self.status?.breakStatus,
            breakStatus.breakID != nil || breakStatus.breakClipID != nil
        else { return nil }
        return breakStatus
    }

    /// The clip of the break that plays.
    public var currentBreakClip: BreakClip? {
        guard let id = self.currentBreak?.breakClipID else { return nil }
        return self.media?.breakClips?.first { $0.id == id }
    }

    /// Seconds of the break's clip that have been played by now; nil outside of breaks.
    public func breakClipPosition(at now: NIODeadline) -> Double? {
        guard let told = self.currentBreak?.currentBreakClipTime else { return nil }
        let position = self.playerState == .playing ? told + self.elapsed(until: now) : told
        return self.currentBreakClip?.duration.map { min(position, max($0, 0)) } ?? position
    }

    /// Whether the break's clip may be skipped by now: the receiver says so, or its clip's time has come.
    public func canSkipAd(at now: NIODeadline) -> Bool {
        guard let current = self.currentBreak else { return false }
        if self.supports(.skipAd) { return true }
        guard let time = current.whenSkippable ?? self.currentBreakClip?.whenSkippable, time >= 0 else { return false }
        return (self.breakClipPosition(at: now) ?? 0) >= time
    }

    private func elapsed(until now: NIODeadline) -> Double {
        max(self.timeSinceUpdate(at: now) ?? 0, 0)
    }
}
