import CastWire
import NIOCore

extension PlayerSession {
    /// What happens next by itself, if nobody does anything before.
    func nextEvent(preloadTime: Double) -> PlayerEvent? {
        var next: PlayerEvent?
        func consider(_ kind: PlayerEvent.Kind, _ instant: NIODeadline?) {
            guard let instant else { return }
            if let known = next, known.instant <= instant { return }
            next = PlayerEvent(kind: kind, instant: instant)
        }
        consider(.playbackFailed, self.failureInstant)
        switch self.phase {
        case .loading(let until, let fails): consider(fails ? .loadFailed : .loaded, until)
        case .buffering(let until): consider(.buffered, until)
        case .ready:
            if let adBreak {
                consider(.clipEnded, adBreak.clipEnd)
                consider(.clipBecomesSkippable, adBreak.skippableInstant)
            } else {
                self.mediaEvents(preloadTime: preloadTime, consider)
            }
        }
        return next
    }

    private func mediaEvents(preloadTime: Double, _ consider: (PlayerEvent.Kind, NIODeadline?) -> Void) {
        guard self.clock.isRunning else { return }
        let now = self.clock.anchor
        for (index, plan) in self.breaks.enumerated() where !plan.isWatched {
            guard let position = plan.position, position >= now, position <= self.end ?? .infinity else { continue }
            consider(.breakReached(planIndex: index), self.clock.instant(of: position))
        }
        guard let end = self.end else { return }
        if let next = self.queue.foreseeableNext, next.id != self.preloadedItemID {
            let lead = next.item.preloadTime ?? preloadTime
            if lead > 0, lead.isFinite {
                consider(.preloaded(itemID: next.id), self.clock.instant(of: max(now, end - lead)))
            }
        }
        consider(.itemEnded, self.clock.instant(of: end))
    }
}
