import CastWire
import GatewayCore
import Logging
import MediaRelay
import NIOCore

/// The streams of the mirroring senders of one virtual device.
///
/// A stream goes by UDP, not through the senders' channels. So the port of the device that an ANSWER names is replaced by one of
/// the gateway's, at the address to which the sender has its channel, and a ``MediaRelay`` carries what comes there to the device
/// and back. It ends with whatever it depends on: the sender's channel, its connection to the app, the app, the virtual device.
///
/// Lives on the device's event loop.
final class MirroringStreams {
    /// More than the senders of one screen mirror at a time.
    static let maximumCount = MirroringConfiguration.maximumStreams
    /// The limit of streams for one address, so that one guest cannot take what others need.
    static let maximumPerSender = 2

    typealias Parties = StreamOffers.Parties

    /// The ends of a stream.
    struct Path {
        /// The sender's channel: this host's end, and the sender's.
        let sender: (local: SocketAddress, remote: SocketAddress)?
        /// The device, as it is reached now.
        let device: SocketAddress?
        let app: SessionFacts?
    }

    private struct Stream {
        let relay: MediaRelay
        let sender: MediaEndpoint
        let devicePort: Int
        let app: SessionFacts?
        let since: NIODeadline
    }

    private(set) var settings = MirroringSettings.off
    private let device: String
    private let pool: MediaRelayPool
    private let events: EventBus
    private let eventLoop: any EventLoop
    private let logger: Logger
    private var offers = StreamOffers()
    private var streams: [Parties: Stream] = [:]
    /// A device may answer as often as it likes.
    private var refusals = LogThrottle<String>(linesPerWindow: 30)

    init(device: String, pool: MediaRelayPool, events: EventBus, eventLoop: any EventLoop, logger: Logger) {
        self.device = device
        self.pool = pool
        self.events = events
        self.eventLoop = eventLoop
        self.logger = logger
    }

    /// True if streams are passed on.
    var isRelayed: Bool { self.settings.isRelayed }

    var all: [MirroringStream] {
        self.streams.sorted { $0.value.relay.address.port < $1.value.relay.address.port }
            .map { self.facts(of: $0.value, $0.key, $0.value.relay.counts) }
    }

    /// Takes how streams are passed on. Those that could not be as they are now end.
    func follow(_ settings: MirroringSettings) {
        let old = self.settings
        self.settings = settings
        guard old != settings else { return }
        for (parties, stream) in self.streams {
            let isAllowed = settings.ports?.contains(Int(stream.relay.address.port)) ?? true
            if !settings.isRelayed || !isAllowed { self.end(parties, .reconfigured) }
        }
    }

    // MARK: Messages

    /// Takes a sender's message of the namespace, which goes on to the device.
    func sent(_ payload: CastMessage.Payload, by parties: Parties) {
        guard case .offer(let number) = StreamNegotiation(payload) else { return }
        self.offers.offered(number, by: parties)
    }

    /// Takes a message of the namespace that an app sent to a sender.
    /// - Parameter path: where the ends are, asked only when a stream is to be opened.
    /// - Returns: what the sender is told; nil when it is told nothing, since a stream that leads nowhere could come of it.
    func received(_ message: CastMessage, for parties: Parties, along path: () -> Path) -> CastMessage? {
        switch StreamNegotiation(message.payload) {
        case .offer, .other: return message
        case .unclear(let number, let reason):
            return self.refuse(message, number, reason, path())
        case .answer(let number, let port):
            let path = path()
            guard self.settings.isRelayed else {
                return self.refuse(message, number, "mirroring is switched off", path)
            }
            // Whatever it may be for: the sender waits for no such answer.
            guard self.offers.answered(number, by: parties) else {
                return self.refuse(message, nil, "the answer is to no offer", path)
            }
            do throws(Refusal) {
                let opened = try self.open(parties, port: port, path)
                guard let payload = StreamNegotiation.rewritten(message.payload, port: opened) else {
                    self.end(parties, .replaced)
                    return self.refuse(message, number, "the answer cannot be written anew", path)
                }
                var message = message
                message.payload = payload
                return message
            } catch {
                return self.refuse(message, number, error.reason, path)
            }
        }
    }

    /// A message of the namespace to all senders: it is told to none when it names a port, since that is one sender's.
    func isForAll(_ message: CastMessage) -> Bool {
        switch StreamNegotiation(message.payload) {
        case .offer, .other: return true
        case .answer, .unclear:
            self.report("the answer is to all senders", nil)
            return false
        }
    }

    private struct Refusal: Error {
        let reason: String
    }

    private func refuse(
        _ message: CastMessage, _ number: Int?, _ reason: String, _ path: Path
    ) -> CastMessage? {
        self.report(reason, path)
        guard let number else { return nil }
        var message = message
        message.payload = .json(StreamNegotiation.refusal(number: number, reason: reason))
        return message
    }

    private func report(_ reason: String, _ path: Path?) {
        let sender = path?.sender.flatMap { MediaEndpoint($0.remote)?.host }
        var metadata: Logger.Metadata = [
            "virtual_device": "\(self.device)", "sender": "\(sender ?? "unknown")", "reason": "\(reason)",
        ]
        let level = self.refusals.level(.warning, for: sender ?? "", at: self.eventLoop.now, metadata: &metadata)
        self.logger.log(level: level, "A mirrored stream cannot be passed on", metadata: metadata)
        guard level == .warning else { return }
        self.events.publish(
            .mirroring(device: self.device, .refused(sender: sender, app: path?.app, reason: reason)))
    }

    // MARK: Streams

    /// Opens a stream in the place of one that the same sender has with the app.
    /// - Returns: the port that the sender sends to.
    private func open(_ parties: Parties, port: Int, _ path: Path) throws(Refusal) -> Int {
        guard let ends = path.sender, let local = MediaEndpoint(ends.local), let remote = MediaEndpoint(ends.remote)
        else { throw Refusal(reason: "the sender has no address of its own") }
        guard let address = path.device.flatMap({ MediaEndpoint($0) }), let number = UInt16(exactly: port) else {
            throw Refusal(reason: "the device is out of reach")
        }
        self.end(parties, .replaced)
        guard self.streams.count < Self.maximumCount else {
            throw Refusal(reason: "\(Self.maximumCount) streams pass '\(self.device)' already")
        }
        guard self.streams.values.count(where: { $0.sender.hasAddress(of: remote) }) < Self.maximumPerSender else {
            throw Refusal(reason: "\(Self.maximumPerSender) streams of \(remote.host) pass '\(self.device)' already")
        }
        let owner = NIOLoopBound(self, eventLoop: self.eventLoop)
        let relay: MediaRelay
        do throws(MediaRelayError) {
            let eventLoop = self.eventLoop
            relay = try self.pool.open(
                north: .bound(to: local, ports: self.settings.ports), sender: remote.at(port: 0),
                south: .connected(to: address.at(port: number)),
                onIdle: { eventLoop.execute { owner.value.endIdle(parties) } })
        } catch {
            throw Refusal(reason: error.description)
        }
        let stream = Stream(relay: relay, sender: remote, devicePort: port, app: path.app, since: self.eventLoop.now)
        self.streams[parties] = stream
        let opened = Int(relay.address.port)
        self.logger.info(
            "A mirrored stream passes",
            metadata: [
                "virtual_device": "\(self.device)", "sender": "\(remote.host)", "to": "\(relay.address)",
                "device": "\(address.at(port: number))",
            ])
        self.events.publish(
            .mirroring(device: self.device, .started(self.facts(of: stream, parties, MediaCounts()))))
        return opened
    }

    /// The thread of the streams has closed one; another may stand in its place by now.
    private func endIdle(_ parties: Parties) {
        guard let stream = self.streams[parties], !stream.relay.isOpen else { return }
        self.end(parties, .idle)
    }

    private func end(_ parties: Parties, _ reason: MirroringEnd) {
        guard let stream = self.streams.removeValue(forKey: parties) else { return }
        let facts = self.facts(of: stream, parties, stream.relay.close())
        self.logger.info(
            "A mirrored stream has ended",
            metadata: [
                "virtual_device": "\(self.device)", "sender": "\(facts.sender)", "reason": "\(reason.rawValue)",
                "packets": .stringConvertible(facts.packets.toDevice &+ facts.packets.toSender),
                "dropped": .stringConvertible(facts.dropped),
            ])
        self.events.publish(.mirroring(device: self.device, .ended(facts, reason: reason)))
    }

    /// Ends the streams, and forgets the offers, of parties that are parted.
    func end(_ reason: MirroringEnd, where isGone: (Parties) -> Bool) {
        self.offers.forget(where: isGone)
        guard !self.streams.isEmpty else { return }
        for parties in self.streams.keys where isGone(parties) { self.end(parties, reason) }
    }

    private func facts(of stream: Stream, _ parties: Parties, _ counts: MediaCounts) -> MirroringStream {
        MirroringStream(
            connection: parties.sender.connection, sender: stream.sender.host, app: stream.app,
            address: stream.relay.address.host, port: Int(stream.relay.address.port), devicePort: stream.devicePort,
            since: stream.since,
            packets: (counts.packets[.toDevice] ?? 0, counts.packets[.toSender] ?? 0),
            bytes: (counts.bytes[.toDevice] ?? 0, counts.bytes[.toSender] ?? 0),
            drops: Dictionary(uniqueKeysWithValues: counts.drops.map { ($0.key.rawValue, $0.value) }))
    }
}
