import CastWire
import NIOCore

extension SimulatedPlayer {
    /// Lets something happen that was due, at its own instant.
    mutating func process(_ event: PlayerEvent, _ session: inout PlayerSession) {
        let instant = event.instant
        switch event.kind {
        case .loaded: return self.loaded(&session, at: instant)
        case .loadFailed, .playbackFailed: return self.failed(&session, at: instant)
        case .itemEnded: return self.itemEnded(&session, at: instant)
        case .buffered:
            session.phase = .ready
            session.settle(at: instant)
        case .breakReached(let index):
            let position = session.breaks[index].position ?? 0
            session.startBreak(index, then: .at(position), at: instant)
            session.settle(at: instant)
        case .clipBecomesSkippable: session.adBreak?.announceSkipping(at: instant)
        case .clipEnded:
            if session.endClip(at: instant) { return self.goOn(&session, at: instant) }
            session.settle(at: instant)
        case .preloaded(let id): session.preloadedItemID = id
        }
        self.broadcastStatus(session, at: instant)
    }

    /// The item is played; a break behind it comes first.
    private mutating func itemEnded(_ session: inout PlayerSession, at instant: NIODeadline) {
        guard let postRoll = session.postRoll else { return self.goOn(&session, at: instant) }
        session.clock.move(to: session.end ?? 0, at: instant)
        session.startBreak(postRoll, then: .itemEnd, at: instant)
        session.settle(at: instant)
        self.broadcastStatus(session, at: instant)
    }

    /// Goes to the item that follows by the repeat mode, or ends the session.
    private mutating func goOn(_ session: inout PlayerSession, at instant: NIODeadline) {
        switch session.queue.repeatMode {
        case .single: self.start(session.queue.index, in: &session, after: .finished, at: instant)
        case .allAndShuffle where session.queue.index + 1 >= session.queue.count:
            session.queue.shuffle(keepingCurrent: false, using: &self.generator)
            self.start(0, in: &session, after: .finished, at: instant)
            self.broadcastStatus(session, at: instant)
            return self.outbox.append(.broadcast(self.queueChange(.update, session.queue.ids, session.queue)))
        default:
            if let next = session.queue.index(jumping: 1) {
                self.start(next, in: &session, after: .finished, at: instant)
            } else {
                self.end(&session, .finished)
            }
        }
        self.broadcastStatus(session, at: instant)
    }
}
