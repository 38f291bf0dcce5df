import GatewayConfig
package import GatewayCore
package import Logging
package import MediaRelay
import NIOCore
import Synchronization

/// The mirrored streams of senders that are passed through, of all devices of a gateway.
///
/// The device's ANSWER is encrypted, so its port is not known. Rules of the system (``MirroringRules``) bring what comes by UDP for an
/// address of such a device to one socket, the gate. The first datagram of a sender that has a splice there begins a stream, which has
/// two sockets of its own: one at the address and port that the sender sends to, connected to the sender, and one connected to the
/// device at the same port. May be asked on any thread.
package final class PassedStreams: Sendable {
    /// The number of streams that pass to one device at a time; each has two sockets.
    package static let maximumPerDevice = 32

    private struct Stream {
        let device: String
        let connection: ConnectionID
        let relay: MediaRelay
        let since: NIODeadline
    }

    private struct State {
        var table: PassedStreamTable
        var streams: [PassedStreamTable.Key: Stream] = [:]
        var gate: MediaGate?
        var obstacle: String?
    }

    private let state: Mutex<State>
    /// Held while the gate is made: a socket that was handed over can be taken once only.
    private let beginning = Mutex<Void>(())
    private let pool: MediaRelayPool
    private let events: EventBus
    private let logger: Logger
    private let idleTime: Duration
    private let makeGate: @Sendable () throws(MediaRelayError) -> MediaSocket

    /// Makes the streams of a gateway: none yet.
    /// - Parameters:
    ///   - makeGate: takes or makes the socket to which the rules bring datagrams; called when a device needs it first.
    package convenience init(
        events: EventBus, logger: Logger, makeGate: @escaping @Sendable () throws(MediaRelayError) -> MediaSocket
    ) {
        self.init(events: events, logger: logger, limits: PassedStreamTable.Limits(), makeGate: makeGate)
    }

    init(
        events: EventBus, logger: Logger, limits: PassedStreamTable.Limits, pool: MediaRelayPool = MediaRelayPool(),
        idleTime: Duration = .seconds(60), makeGate: @escaping @Sendable () throws(MediaRelayError) -> MediaSocket
    ) {
        self.state = Mutex(State(table: PassedStreamTable(limits: limits)))
        self.pool = pool
        self.events = events
        self.logger = logger
        self.idleTime = idleTime
        self.makeGate = makeGate
    }

    deinit { self.state.withLock { $0.gate }?.close() }

    // MARK: The gate

    /// Takes datagrams from now on, if it does not yet. Why it cannot is logged, and ``obstacle`` from then on.
    func begin() { self.beginning.withLock { _ in self.makeGateIfNeeded() } }

    private func makeGateIfNeeded() {
        guard self.state.withLock({ $0.gate == nil }) else { return }
        do throws(MediaRelayError) {
            let gate = try self.pool.open(gate: self.makeGate()) { [weak self] sender, destination in
                self?.decide(sender, destination) ?? .drop(.foreignAddress)
            }
            self.state.withLock { ($0.gate, $0.obstacle) = (gate, nil) }
            self.logger.info("Streams of mirroring senders are taken", metadata: ["socket": "\(gate.address)"])
        } catch {
            let text = "\(error)"
            let isNew = self.state.withLock { state in
                defer { state.obstacle = text }
                return state.obstacle != text
            }
            guard isNew else { return }
            self.logger.warning(
                "Mirroring does not pass, since the socket for it cannot be had: enable castway-mirroring.socket and castway-mirroring.service and restart, or run as root; castway doctor says what is missing",
                metadata: ["reason": "\(text)"])
        }
    }

    /// The reason datagrams cannot be taken, although a device is to have them; nil when they can, and when none is.
    package var obstacle: String? { self.state.withLock { $0.obstacle } }

    // MARK: Splices

    /// A splice stands whose sender may mirror.
    /// - Parameters:
    ///   - sender: where the sender connects from.
    ///   - screen: the address that it connected to.
    ///   - place: where the real device is.
    func admit(
        _ connection: ConnectionID, of sender: MediaEndpoint, at screen: MediaEndpoint, to device: String,
        _ place: MediaEndpoint
    ) {
        let pair = PassedStreamTable.Pair(sender: sender.at(port: 0), screen: screen.at(port: 0))
        self.state.withLock { $0.table.admit(connection, pair, to: device, at: place) }
    }

    /// A splice is gone, or may not mirror any more. Does nothing for one that was not admitted.
    func dismiss(_ connection: ConnectionID, _ reason: MirroringEnd) {
        let ended = self.state.withLock { state in
            state.table.dismiss(connection).compactMap { key in
                state.streams.removeValue(forKey: key).map { (key, $0) }
            }
        }
        for (key, stream) in ended { self.tell(key, stream, reason) }
    }

    // MARK: Datagrams

    /// Decides on a datagram that came to the gate. Called on the thread of the streams.
    func decide(_ sender: MediaEndpoint, _ destination: MediaEndpoint) -> MediaGate.Decision {
        let key = PassedStreamTable.Key(sender: sender, destination: destination)
        let (relay, verdict) = self.state.withLock { state -> (MediaRelay?, PassedStreamTable.Verdict?) in
            if let stream = state.streams[key] { return (stream.relay, nil) }
            return (nil, state.table.judge(key))
        }
        if let relay { return .pass(relay) }
        switch verdict {
        case .opens(let opening): return self.open(key, opening)
        case .drops(let reason, let device, let isNew):
            if let device, isNew { self.refuse(sender, device, "it has as many streams as there may be") }
            return .drop(reason)
        case nil: return .drop(.failed)
        }
    }

    private func open(
        _ key: PassedStreamTable.Key, _ opening: PassedStreamTable.Opening
    ) -> MediaGate.Decision {
        let relay: MediaRelay
        do throws(MediaRelayError) {
            relay = try self.pool.open(
                north: .bound(exactlyTo: key.destination, connectedTo: key.sender), sender: key.sender,
                south: .connected(to: opening.target), idleTime: self.idleTime,
                onIdle: { [weak self] in self?.endIdle(key) })
        } catch {
            let isNew = self.state.withLock { state in
                state.table.ended(key)
                return state.table.noteRefusal(of: key)
            }
            if isNew { self.refuse(key.sender, opening.device, "\(error)") }
            return .drop(.failed)
        }
        let isThere = self.state.withLock { state in
            // The sender may have gone meanwhile.
            guard state.table.has(key) else { return false }
            let stream = Stream(
                device: opening.device, connection: opening.connection, relay: relay, since: .now())
            state.streams[key] = stream
            // Within the lock, so that no end is told before it.
            self.events.publish(
                .mirroring(device: opening.device, .started(Self.facts(key, stream, MediaCounts()))))
            return true
        }
        guard isThere else {
            relay.close()
            return .drop(.foreignAddress)
        }
        // It may have fallen silent before it was noted.
        defer { if !relay.isOpen { self.endIdle(key) } }
        self.logger.info(
            "A mirrored stream passes",
            metadata: [
                "virtual_device": "\(opening.device)", "sender": "\(key.sender)", "to": "\(key.destination)",
                "device": "\(opening.target)",
            ])
        return .pass(relay)
    }

    private func refuse(_ sender: MediaEndpoint, _ device: String, _ reason: String) {
        self.logger.notice(
            "A mirrored stream does not pass",
            metadata: ["virtual_device": "\(device)", "sender": "\(sender.host)", "reason": "\(reason)"])
        self.events.publish(.mirroring(device: device, .refused(sender: sender.host, app: nil, reason: reason)))
    }

    /// The thread of the streams has closed one; another may stand in its place by now.
    private func endIdle(_ key: PassedStreamTable.Key) {
        let ended = self.state.withLock { state -> Stream? in
            guard let stream = state.streams[key], !stream.relay.isOpen else { return nil }
            state.streams[key] = nil
            state.table.ended(key)
            return stream
        }
        if let ended { self.tell(key, ended, .idle) }
    }

    private func tell(_ key: PassedStreamTable.Key, _ stream: Stream, _ reason: MirroringEnd) {
        let facts = Self.facts(key, stream, stream.relay.close())
        self.logger.info(
            "A mirrored stream has ended",
            metadata: [
                "virtual_device": "\(stream.device)", "sender": "\(facts.sender)", "reason": "\(reason.rawValue)",
                "packets": .stringConvertible(facts.packets.toDevice &+ facts.packets.toSender),
                "dropped": .stringConvertible(facts.dropped),
            ])
        self.events.publish(.mirroring(device: stream.device, .ended(facts, reason: reason)))
    }

    // MARK: What others see

    /// The streams of a device, the oldest first.
    package func streams(of device: String) -> [MirroringStream] {
        let streams = self.state.withLock { $0.streams.filter { $0.value.device == device } }
        return streams.map { Self.facts($0.key, $0.value, $0.value.relay.counts) }.sorted { $0.since < $1.since }
    }

    /// The number of open streams, of those that have ended, and what of all of them passed and did not.
    package var counts: (open: Int, ended: UInt64, counts: MediaCounts) {
        (self.pool.count, self.pool.endedCount, self.pool.counts)
    }

    private static func facts(
        _ key: PassedStreamTable.Key, _ stream: Stream, _ counts: MediaCounts
    ) -> MirroringStream {
        MirroringStream(
            connection: stream.connection, sender: key.sender.host, app: nil, address: key.destination.host,
            port: Int(key.destination.port), devicePort: Int(key.destination.port), since: stream.since,
            packets: (counts.packets[.toDevice] ?? 0, counts.packets[.toSender] ?? 0),
            bytes: (counts.bytes[.toDevice] ?? 0, counts.bytes[.toSender] ?? 0),
            drops: Dictionary(uniqueKeysWithValues: counts.drops.map { ($0.key.rawValue, $0.value) }))
    }
}
