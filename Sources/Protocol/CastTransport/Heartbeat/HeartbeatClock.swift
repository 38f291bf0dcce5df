import NIOCore
import Synchronization

/// Wakes the heartbeats of one event loop, many at a time.
///
/// Timers of their own would be a third of what many idle channels cost. Time is divided into ticks, and one event loop
/// timer is set to the first tick at which a heartbeat is due; without heartbeats there is no timer.
final class HeartbeatClock {
    let eventLoop: any EventLoop
    /// How many heartbeats there are, awake and asleep.
    var users = 0
    private let tick: TimeAmount
    private let origin: NIODeadline
    /// The heartbeats that are to be woken at each tick, counted from the origin.
    private var sleepers: [Int64: [HeartbeatTimer]] = [:]
    private var alarm: (tick: Int64, timer: Scheduled<Void>)?

    /// - Parameter tick: how far apart the heartbeats may be that it wakes together; positive.
    init(eventLoop: any EventLoop, tick: TimeAmount) {
        self.eventLoop = eventLoop
        self.tick = max(tick, .milliseconds(1))
        self.origin = eventLoop.now
    }

    /// Calls ``HeartbeatTimer/fired()`` less than a tick after this instant, or before it.
    /// - Returns: false when it cannot be woken before the instant, because there is no tick in between.
    func wake(_ sleeper: HeartbeatTimer, at deadline: NIODeadline, orBefore isEarly: Bool) -> Bool {
        let distance = (deadline - self.origin).nanoseconds
        let (whole, rest) = distance.quotientAndRemainder(dividingBy: self.tick.nanoseconds)
        let tick = isEarly || rest == 0 ? whole : whole + 1
        guard !isEarly || self.time(of: tick) > self.eventLoop.now else { return false }
        self.sleepers[tick, default: []].append(sleeper)
        self.setAlarm()
        return true
    }

    /// Ends all waiting; no heartbeat is woken any more.
    func stop() {
        self.alarm?.timer.cancel()
        self.alarm = nil
        self.sleepers = [:]
    }

    private func time(of tick: Int64) -> NIODeadline {
        self.origin + .nanoseconds(tick * self.tick.nanoseconds)
    }

    /// Sets the alarm to the first tick that a heartbeat waits for.
    private func setAlarm() {
        guard let first = self.sleepers.keys.min() else { return }
        if let alarm {
            guard first < alarm.tick else { return }
            alarm.timer.cancel()
        }
        let clock = NIOLoopBound(self, eventLoop: self.eventLoop)
        let timer = self.eventLoop.scheduleTask(deadline: self.time(of: first)) { clock.value.ring(first) }
        self.alarm = (first, timer)
    }

    private func ring(_ tick: Int64) {
        self.alarm = nil
        let woken = self.sleepers.removeValue(forKey: tick) ?? []
        for sleeper in woken { sleeper.fired() }
        self.setAlarm()
    }
}

/// The heartbeat clocks of a pipeline's channels, one for every event loop that has such channels at present.
final class HeartbeatClocks: Sendable {
    private let tick: TimeAmount
    /// Each keeps its event loop, so no other loop can come to have its identity meanwhile.
    private let clocks = Mutex<[ObjectIdentifier: NIOLoopBound<HeartbeatClock>]>([:])

    init(tick: TimeAmount) {
        self.tick = tick
    }

    /// The clock of this event loop, on which it has to be called. The caller gives it back with ``giveBack(_:)``.
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

    /// Gives a clock back; it ends with its last user.
    func giveBack(_ clock: HeartbeatClock) {
        clock.users -= 1
        guard clock.users == 0 else { return }
        clock.stop()
        _ = self.clocks.withLock { $0.removeValue(forKey: ObjectIdentifier(clock.eventLoop)) }
    }
}
