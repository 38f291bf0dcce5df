import CastWire
import NIOCore

// Some apps answer no request by its number, and tell the new state to all senders instead: what shows what was asked for is the answer.
extension MediaTrial {
    /// Players go to the nearest place at which they can begin, so a seek ends within this time of it, in seconds.
    private static let seekTolerance = 2.0
    /// Levels and rates are told in steps.
    private static let tolerance = 0.01

    /// Whether a status of the app, which came after the command was sent, shows that it was carried out.
    /// - Parameter snapshot: what is known with that status.
    func isShown(by snapshot: MediaSnapshot, at now: NIODeadline) -> Bool {
        let type = self.request.type ?? self.command.type
        switch type {
        case .getStatus: return true
        case .load, .queueLoad, .loadByEntity, .resumeSession: return self.isLoaded(in: snapshot)
        case .stop: return !snapshot.hasMediaSession || snapshot.mediaSessionID != self.mediaSessionID
        case _ where snapshot.mediaSessionID != self.mediaSessionID: return false
        case .play: return snapshot.playerState == .playing || snapshot.playerState == .buffering
        case .pause: return snapshot.playerState == .paused
        case .seek: return self.isAtPosition(snapshot, at: now)
        case .setVolume: return self.hasVolume(snapshot)
        case .setPlaybackRate: return self.hasRate(snapshot)
        case .editTracksInfo, .editAudioTracks: return self.hasTracks(snapshot)
        case .queueInsert: return self.hasInserted(snapshot)
        case .queueRemove: return self.hasRemoved(snapshot)
        case .queueReorder: return self.hasReordered(snapshot)
        case .queueUpdate: return self.hasUpdated(snapshot)
        case .skipAd:
            return self.before.currentBreakClip != nil && self.before.currentBreakClip != snapshot.currentBreakClip
        case .preload: return self.request.itemID != nil && snapshot.preloadedItemID == self.request.itemID
        default: return false
        }
    }

    /// Whether a change of the queue that the app tells of is the one that was asked for.
    func isShown(by change: QueueChange) -> Bool {
        switch (self.request.type, change.changeType) {
        case (.queueInsert?, .insert?): change.itemIDs.count == self.request.items?.count
        case (.queueRemove?, .remove?): Set(self.request.itemIDs ?? []).isSubset(of: change.itemIDs)
        case (.queueReorder?, .update?), (.queueShuffle?, .update?): true
        case (.queueUpdate?, .update?): self.request.shuffles != nil
        case (.queueUpdate?, .itemsChange?):
            !(self.request.items ?? []).isEmpty
                && Set((self.request.items ?? []).compactMap(\.itemID)).isSubset(of: change.itemIDs)
        default: false
        }
    }

    /// Whether what is known now says that the medium was loaded.
    private func isLoaded(in snapshot: MediaSnapshot) -> Bool {
        guard snapshot.playerState == .playing || snapshot.playerState == .paused,
            self.mediaSessionID != snapshot.mediaSessionID
        else { return false }
        if let entity = self.request.entity { return snapshot.media?.entity == entity }
        return self.contentID != nil && self.contentID == snapshot.media?.contentID
    }

    private func isAtPosition(_ snapshot: MediaSnapshot, at now: NIODeadline) -> Bool {
        switch self.request.resumeState {
        case .start?: guard snapshot.playerState == .playing || snapshot.playerState == .buffering else { return false }
        case .pause?: guard snapshot.playerState == .paused else { return false }
        default: break
        }
        let origin = self.before.position(at: self.sentAt)
        guard var target = self.request.relativeTime.map({ origin + $0 }) ?? self.request.currentTime else {
            return false
        }
        if let end = snapshot.liveSeekableRange(at: now)?.end ?? snapshot.media?.duration { target = min(target, end) }
        // Where it was is not where it is to be, however short the way.
        let tolerance = min(Self.seekTolerance, max(abs(target - origin) / 2, 0.25))
        return abs(snapshot.position(at: now) - max(target, 0)) <= tolerance
    }

    private func hasVolume(_ snapshot: MediaSnapshot) -> Bool {
        guard let wanted = self.request.volume, let volume = snapshot.streamVolume else { return false }
        if let level = wanted.level {
            guard let reached = volume.level, abs(reached - level) <= Self.tolerance else { return false }
        }
        return wanted.isMuted == nil || wanted.isMuted == volume.isMuted
    }

    private func hasRate(_ snapshot: MediaSnapshot) -> Bool {
        let wanted =
            self.request.playbackRate ?? self.request.relativePlaybackRate.map { $0 * self.before.playbackRate }
        return wanted.map { abs(snapshot.playbackRate - $0) <= Self.tolerance } ?? false
    }

    private func hasTracks(_ snapshot: MediaSnapshot) -> Bool {
        let type: MediaTrackType = self.request.type == .editAudioTracks ? .audio : .text
        let active = snapshot.activeTracks.filter { $0.type == type }
        if let ids = self.request.activeTrackIDs, Set(ids) != Set(snapshot.activeTrackIDs) { return false }
        if let isEnabled = self.request.enablesTextTracks, active.isEmpty == isEnabled { return false }
        if let language = self.request.language {
            let primary = language.lowercased().prefix { $0 != "-" }
            let isActive = active.contains { ($0.language?.lowercased().prefix { $0 != "-" }) == primary }
            guard isActive else { return false }
        }
        if let style = self.request.textTrackStyle {
            guard let shown = snapshot.textTrackStyle,
                style.json.members.allSatisfy({ shown.json[$0.name]?.isEquivalent(to: $0.value) ?? false })
            else { return false }
        }
        return true
    }

    // MARK: The queue, as far as a status carries it

    private func hasInserted(_ snapshot: MediaSnapshot) -> Bool {
        let known = Set(self.before.nearItems.compactMap(\.itemID))
        var new = snapshot.nearItems.filter { $0.itemID.map { !known.contains($0) } ?? false }.map {
            $0.media?.contentID
        }
        for item in self.request.items ?? [] {
            guard let index = new.firstIndex(of: item.media?.contentID) else { return false }
            new.remove(at: index)
        }
        return true
    }

    private func hasRemoved(_ snapshot: MediaSnapshot) -> Bool {
        let wanted = Set(self.request.itemIDs ?? [])
        // Items that no status carried before are missing from the next one, too.
        guard self.before.nearItems.contains(where: { $0.itemID.map(wanted.contains) ?? false }) else { return false }
        return !snapshot.nearItems.contains { $0.itemID.map(wanted.contains) ?? false }
    }

    private func hasReordered(_ snapshot: MediaSnapshot) -> Bool {
        let ids = snapshot.nearItems.compactMap(\.itemID)
        guard let wanted = self.request.itemIDs, let first = wanted.first, let start = ids.firstIndex(of: first),
            Array(ids[start...].prefix(wanted.count)) == wanted
        else { return false }
        let follower = ids.dropFirst(start + wanted.count).first
        return self.request.insertBefore.map { $0 == follower } ?? (follower == nil)
    }

    private func hasUpdated(_ snapshot: MediaSnapshot) -> Bool {
        let request = self.request
        // The contents of items are told by a change of the queue alone.
        guard request.items == nil else { return false }
        if let id = request.currentItemID, snapshot.currentItemID != id { return false }
        if let jump = request.jump, jump != 0, snapshot.currentItemID == self.before.currentItemID { return false }
        if let mode = request.repeatMode, snapshot.repeatMode != mode { return false }
        if let shuffles = request.shuffles, snapshot.status?.queueData?.isShuffled != shuffles { return false }
        return request.currentItemID != nil || request.jump != nil || request.repeatMode != nil
            || request.shuffles != nil
    }
}
