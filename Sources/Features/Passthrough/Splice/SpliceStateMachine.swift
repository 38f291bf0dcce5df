/// The state of a splice, and what follows from what happens at its two ends.
///
/// The sender's first bytes decide whether the device is dialled at all; from then on both ends are open until each has said that it has
/// no more to say, or one of them fails, or the splice is cut. Knows no channel and no clock.
struct SpliceStateMachine {
    enum Phase: Hashable {
        /// The sender has not said enough yet.
        case hello
        /// The device is dialled; what the sender said waits, and nothing more is read.
        case dialling
        case open
        case ended
    }

    enum Event: Hashable {
        /// The first bytes are TLS, or not.
        case hello(isTLS: Bool)
        case dialled
        case dialFailed(String)
        case inputEnded(SpliceSide)
        /// The end was told that the other one has no more to say, behind everything that was said.
        case outputEnded(SpliceSide)
        case lost(SpliceSide)
        case failed(SpliceSide, String)
        case cut(SpliceEnding)
    }

    enum Action: Hashable {
        case dial
        /// Both ends stand: what waits is sent, and both are read.
        case open
        /// Tell the end, behind everything that waits for it, that the other has no more to say.
        case endOutput(SpliceSide)
        /// Close what is open, for this reason; comes once, and nothing comes behind it.
        case end(SpliceEnding)
    }

    private(set) var phase = Phase.hello
    /// The ends that have no more to say, in their order.
    private var silent: [SpliceSide] = []
    private var told: Set<SpliceSide> = []

    /// True if an end may be read.
    func reads(_ side: SpliceSide) -> Bool {
        switch self.phase {
        case .hello: side == .sender && self.silent.isEmpty
        case .open: !self.silent.contains(side)
        case .dialling, .ended: false
        }
    }

    mutating func handle(_ event: Event) -> [Action] {
        guard self.phase != .ended else { return [] }
        switch event {
        case .hello(let isTLS):
            guard self.phase == .hello else { return [] }
            guard isTLS else { return self.end(.notTLS) }
            self.phase = .dialling
            return [.dial]
        case .dialled:
            guard self.phase == .dialling else { return [] }
            self.phase = .open
            return [.open] + self.silent.map { .endOutput($0.other) }
        case .dialFailed(let text): return self.end(.unreachable(text))
        case .inputEnded(let side):
            guard !self.silent.contains(side) else { return [] }
            self.silent.append(side)
            switch self.phase {
            case .hello: return self.end(.closed(by: .sender))
            case .dialling: return []
            case .open, .ended: return [.endOutput(side.other)]
            }
        case .outputEnded(let side):
            self.told.insert(side)
            return self.endIfTold()
        case .lost(let side): return self.lose(side)
        case .failed(let side, let text):
            // An end that has no more to say may hang up as it likes.
            return self.end(self.silent.contains(side) ? .closed(by: self.silent[0]) : .failed(side, text))
        case .cut(let reason): return self.end(reason)
        }
    }

    /// The other end still gets what waits for it, unless it goes on talking to an end that is gone.
    private mutating func lose(_ side: SpliceSide) -> [Action] {
        guard self.phase == .open else { return self.end(.closed(by: side)) }
        self.told.insert(side)
        guard self.silent.contains(side) else {
            self.silent.append(side)
            return [.endOutput(side.other)]
        }
        return self.silent.contains(side.other) ? self.endIfTold() : self.end(.closed(by: side))
    }

    private mutating func endIfTold() -> [Action] {
        guard self.told.count == 2, let first = self.silent.first else { return [] }
        return self.end(.closed(by: first))
    }

    private mutating func end(_ reason: SpliceEnding) -> [Action] {
        self.phase = .ended
        return [.end(reason)]
    }
}
