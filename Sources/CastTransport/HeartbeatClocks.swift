import NIOCore
import Synchronization

/// The heartbeat clocks of a pipeline's channels, one for every event loop that has such channels at present.
final class HeartbeatClocks: Sendable {
    private let tick: TimeAmount
    /// Each keeps its event loop, so no other loop can come to have its identity meanwhile.
    private let clocks = Mutex<[ObjectIdentifier: NIOLoopBound<HeartbeatClock>]>([:])

    init(tick: TimeAmount) {
        self.tick = tick
    }

    /// The clock of this event loop, on which it has to be called; whoever has it gives it back.
    func take(on eventLoop: any EventLoop) -> HeartbeatClock {
        let clock = self.clocks.withLock { clocks in
            if let clock = clocks[ObjectIdentifier(eventLoop)] { return clock }
            let clock = NIOLoopBound(
                HeartbeatClock(eventLoop: eventLoop, tick: self.tick), eventLoop: eventLoop)
            clocks[ObjectIdentifier(eventLoop)] = clock
            return clock
        }.value
        clock.users += 1
        return clock
    }

    /// Gives a clock back; the last one who does so ends it.
    func giveBack(_ clock: HeartbeatClock) {
        clock.users -= 1
        guard clock.users == 0 else { return }
        clock.stop()
        _ = self.clocks.withLock { $0.removeValue(forKey: ObjectIdentifier(clock.eventLoop)) }
    }
}
