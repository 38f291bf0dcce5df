import CDatagrams
import Glibc
import Synchronization

/// All streams of a gateway, carried by one thread that runs while there are any.
///
/// Streams have a thread of their own, so that no flood of datagrams delays a message: nothing here runs on an event loop but the
/// few system calls that make and close sockets. The thread takes at most ``DatagramBatch/capacity`` datagrams of a socket
/// before it turns to the next one.
package final class MediaRelayPool: Sendable {
    /// The number of streams there may be at once, unless another number is said.
    package static let maximum = 256

    private struct State {
        var relays: [UInt64: MediaRelay] = [:]
        var gates: [UInt64: MediaGate] = [:]
        var lastNumber: UInt64 = 0
        var hasThread = false
        /// The counts of the relays that are gone.
        var ended = MediaCounts()
        var endedCount: UInt64 = 0
    }

    /// The descriptor by which the thread waits; made with the first stream.
    private final class Watch: Sendable {
        let descriptor: Int32

        init() throws(MediaRelayError) {
            self.descriptor = castway_epoll()
            guard self.descriptor >= 0 else { throw .last("epoll_create1") }
        }

        deinit { Glibc.close(self.descriptor) }
    }

    private let state = Mutex(State())
    private let watch = Mutex<Watch?>(nil)
    private let maximum: Int
    /// In milliseconds.
    private let checkInterval: Int32

    /// Makes a pool without streams and without a thread.
    /// - Parameters:
    ///   - maximum: how many streams there may be at once.
    ///   - checkInterval: how often streams are looked at that have fallen silent.
    package init(maximum: Int = MediaRelayPool.maximum, checkInterval: Duration = .seconds(1)) {
        self.maximum = maximum
        let (seconds, attoseconds) = checkInterval.components
        self.checkInterval = Int32(clamping: max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }

    /// Relays a stream from now on, until it is closed or falls silent.
    /// - Parameters:
    ///   - north: where the sender sends to.
    ///   - sender: the sender's address; with port 0 the port of its first datagram counts.
    ///   - south: a socket that is connected to the device.
    ///   - idleTime: after how long without any datagram it ends.
    ///   - onIdle: called once on the thread of the streams when it has ended for that reason. Must not wait.
    /// - Throws: ``MediaRelayError``: `tooMany`, or `system` when there is no descriptor or no thread to be had.
    package func open(
        north: MediaSocket, sender: MediaEndpoint, south: MediaSocket, idleTime: Duration = .seconds(60),
        onIdle: @escaping @Sendable () -> Void = {}
    ) throws(MediaRelayError) -> MediaRelay {
        let watch = try self.currentWatch()
        let flow = MediaFlow(sender: sender, idleTime: idleTime, at: .now)
        let made: MediaRelay? = self.state.withLock { state in
            guard state.relays.count < self.maximum else { return nil }
            state.lastNumber += 1
            let relay = MediaRelay(
                number: state.lastNumber, north: north, south: south, flow: flow, pool: self, onIdle: onIdle)
            state.relays[relay.number] = relay
            return relay
        }
        guard let made else { throw .tooMany(maximum: self.maximum) }
        do throws(MediaRelayError) {
            for (side, socket) in [(MediaRelay.Side.north, north), (.south, south)] {
                let token = made.number << 1 | side.rawValue
                guard castway_watch(watch.descriptor, socket.descriptor, token) == 0 else { throw .last("epoll_ctl") }
            }
            try self.startThread(watch)
        } catch {
            self.remove(made)
            throw error
        }
        return made
    }

    /// Begins to receive what rules of the system bring to a socket.
    /// - Parameters:
    ///   - socket: one that `MediaSocket.transparent` has made.
    ///   - decide: what becomes of a datagram, by its sender and its first destination. Called on the thread of the streams for each;
    ///     may open relays.
    /// - Throws: ``MediaRelayError`` with `system` when there is no descriptor or no thread to be had.
    package func open(
        gate socket: MediaSocket,
        decide: @escaping @Sendable (_ sender: MediaEndpoint, _ destination: MediaEndpoint) -> MediaGate.Decision
    ) throws(MediaRelayError) -> MediaGate {
        let watch = try self.currentWatch()
        let gate = self.state.withLock { state in
            state.lastNumber += 1
            let gate = MediaGate(number: state.lastNumber, socket: socket, pool: self, decide: decide)
            state.gates[gate.number] = gate
            return gate
        }
        do throws(MediaRelayError) {
            guard castway_watch(watch.descriptor, socket.descriptor, gate.number << 1) == 0 else {
                throw .last("epoll_ctl")
            }
            try self.startThread(watch)
        } catch {
            self.remove(gate)
            throw error
        }
        return gate
    }

    /// Forgets a gate; its socket closes when the thread has let go of it.
    func remove(_ gate: MediaGate) {
        if let watch = self.watch.withLock({ $0 }) { castway_unwatch(watch.descriptor, gate.socket.descriptor) }
        self.state.withLock { state in
            guard state.gates.removeValue(forKey: gate.number) != nil else { return }
            state.ended = state.ended + gate.counts
        }
    }

    /// The number of streams there are.
    package var count: Int { self.state.withLock { $0.relays.count } }

    /// The number of streams there were before those that there are.
    package var endedCount: UInt64 { self.state.withLock { $0.endedCount } }

    /// Counts of what has passed since the pool was made, by streams that are gone too.
    package var counts: MediaCounts {
        let (relays, gates, ended) = self.state.withLock { (Array($0.relays.values), Array($0.gates.values), $0.ended) }
        return gates.reduce(relays.reduce(ended) { $0 + $1.counts }) { $0 + $1.counts }
    }

    /// True if a relay is open.
    func has(_ relay: MediaRelay) -> Bool { self.state.withLock { $0.relays[relay.number] != nil } }

    /// Forgets a relay; its sockets close when the thread has let go of them.
    func remove(_ relay: MediaRelay) {
        let counts = relay.counts
        // An owner may keep the relay, and with it the sockets, for long.
        if let watch = self.watch.withLock({ $0 }) {
            castway_unwatch(watch.descriptor, relay.north.descriptor)
            castway_unwatch(watch.descriptor, relay.south.descriptor)
        }
        self.state.withLock { state in
            guard state.relays.removeValue(forKey: relay.number) != nil else { return }
            state.ended = state.ended + counts
            state.endedCount += 1
        }
    }

    private func currentWatch() throws(MediaRelayError) -> Watch {
        if let watch = self.watch.withLock({ $0 }) { return watch }
        let made = try Watch()
        return self.watch.withLock { watch in
            if let watch { return watch }
            watch = made
            return made
        }
    }

    // MARK: The thread

    private func startThread(_ watch: Watch) throws(MediaRelayError) {
        let isNeeded = self.state.withLock { state in
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard isNeeded else { return }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<MediaRelayPool>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        guard result == 0 else {
            Unmanaged<MediaRelayPool>.fromOpaque(context).release()
            self.state.withLock { $0.hasThread = false }
            throw .system(call: "pthread_create", number: result)
        }
        pthread_detach(thread)
    }

    private func run() {
        guard let watch = self.watch.withLock({ $0 }) else { return }
        var batch = DatagramBatch()
        var tokens = [UInt64](repeating: 0, count: 16)
        var nextCheck = ContinuousClock.now + .milliseconds(self.checkInterval)
        while true {
            let count = Int(castway_wait(watch.descriptor, &tokens, self.checkInterval))
            // A token of a relay that is gone stands for nothing.
            for token in tokens.prefix(max(0, count)) {
                guard let side = MediaRelay.Side(rawValue: token & 1) else { continue }
                let (relay, gate) = self.state.withLock { ($0.relays[token >> 1], $0.gates[token >> 1]) }
                relay?.turn(side, &batch)
                gate?.turn(&batch)
            }
            let now = ContinuousClock.now
            guard now >= nextCheck else { continue }
            nextCheck = now + .milliseconds(self.checkInterval)
            self.endIdle(at: now)
            let isOver = self.state.withLock { state in
                if state.relays.isEmpty, state.gates.isEmpty { state.hasThread = false }
                return !state.hasThread
            }
            if isOver { return }
        }
    }

    private func endIdle(at now: ContinuousClock.Instant) {
        let relays = self.state.withLock { Array($0.relays.values) }
        for relay in relays where relay.isIdle(at: now) {
            // One that was closed meanwhile has told its owner.
            guard self.has(relay) else { continue }
            relay.close()
            relay.onIdle()
        }
    }
}
