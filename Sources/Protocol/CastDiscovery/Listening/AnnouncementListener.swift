import Glibc
package import NIOCore
import NIOPosix

/// Listens to mDNS beside Avahi, whose browser reports nothing when a device announces records that are still cached: by
/// this alone a device is dialed within a second of its return (`Docs/fault-matrix.md`), and not after the longest pause.
///
/// Each interface has a socket in each protocol, which never sends and is bound to the multicast group rather than to all
/// addresses: the daemon gets what is sent to the machine alone. Interfaces are listed every five seconds.
package final class AnnouncementListener: AnnouncementSource {
    private static let checkInterval = TimeAmount.seconds(5)

    private let eventLoop: any EventLoop
    private let listDevices: () throws -> [NIONetworkDevice]
    private var places: ListeningPlaces
    private var channels: [ListeningPlaces.Attempt: any Channel] = [:]
    private var throttle = AnnouncementThrottle()
    private var check: RepeatedTask?
    private var sink: ((AnnouncementEvent) -> Void)?
    private var isFailureTold = false

    /// Prepares a listener; nothing is opened before ``start(_:)``.
    /// - Parameters:
    ///   - interfaces: the names of the network interfaces to listen on; empty for all that know multicast.
    ///   - eventLoop: where it lives: one of a `MultiThreadedEventLoopGroup`.
    package convenience init(interfaces: [String], eventLoop: any EventLoop) {
        self.init(interfaces: interfaces, eventLoop: eventLoop) { try System.enumerateDevices() }
    }

    init(
        interfaces: [String], eventLoop: any EventLoop, listDevices: @escaping () throws -> [NIONetworkDevice]
    ) {
        self.eventLoop = eventLoop
        self.places = ListeningPlaces(interfaces: interfaces)
        self.listDevices = listDevices
    }

    package func start(_ sink: @escaping (AnnouncementEvent) -> Void) {
        self.sink = sink
        let listener = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.check = self.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.checkInterval) { _ in
            listener.value.update()
        }
    }

    package func stop() {
        self.sink = nil
        self.check?.cancel()
        self.check = nil
        self.listen(to: [])
    }

    // MARK: Interfaces

    private func update() {
        guard self.sink != nil else { return }
        do {
            self.listen(to: try self.listDevices())
            let omitted = self.places.omitted
            if omitted > 0 { self.tellFailure("\(omitted) places more than \(ListeningPlaces.maximumPlaces)") }
        } catch {
            self.tellFailure("the network interfaces cannot be listed: \(error)")
        }
    }

    private func listen(to devices: [NIONetworkDevice]) {
        let (open, close) = self.places.update(devices.compactMap { ListeningPlace($0) })
        for attempt in close { self.channels.removeValue(forKey: attempt)?.close(promise: nil) }
        for attempt in open {
            guard let device = devices.first(where: { ListeningPlace($0) == attempt.place }) else { continue }
            do {
                try self.open(attempt, device)
            } catch {
                self.failed(attempt, "\(error)")
            }
        }
    }

    private func open(_ attempt: ListeningPlaces.Attempt, _ device: NIONetworkDevice) throws {
        let listener = NIOLoopBound(self, eventLoop: self.eventLoop)
        let device = NIOLoopBound(device, eventLoop: self.eventLoop)
        let group = try attempt.place.group()
        var bootstrap = DatagramBootstrap(group: self.eventLoop)
            .channelOption(.socketOption(.so_reuseaddr), value: 1)
            .channelOption(.socketOption(NIOBSDSocket.Option(rawValue: SO_REUSEPORT)), value: 1)
            // One byte more than there may be, so that what is too long is seen to be.
            .channelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: AnnouncementReader.maximumLength + 1)
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = AnnouncementHandler { listener.value.heard($0, from: $1) }
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
        if attempt.place.family == .ipv4 {
            // Only what comes by the interface that is joined, not what other programs have joined.
            let all = NIOBSDSocket.Option(rawValue: IP_MULTICAST_ALL)
            bootstrap = bootstrap.channelOption(ChannelOptions.Types.SocketOption(level: .ip, name: all), value: 0)
        }
        bootstrap.bind(to: group)
            .flatMap { channel -> EventLoopFuture<any Channel> in
                guard let multicast = channel as? any MulticastChannel else {
                    return channel.eventLoop.makeSucceededFuture(channel)
                }
                let joined = multicast.joinGroup(group, device: device.value)
                joined.whenFailure { _ in channel.close(promise: nil) }
                return joined.map { channel }
            }
            .whenComplete { result in
                switch result {
                case .success(let channel): listener.value.opened(attempt, channel)
                case .failure(let error): listener.value.failed(attempt, "\(error)")
                }
            }
    }

    private func opened(_ attempt: ListeningPlaces.Attempt, _ channel: any Channel) {
        guard self.places.contains(attempt) else { return channel.close(promise: nil) }
        self.channels[attempt] = channel
        let listener = NIOLoopBound(self, eventLoop: self.eventLoop)
        channel.closeFuture.whenComplete { _ in listener.value.closed(attempt) }
    }

    private func closed(_ attempt: ListeningPlaces.Attempt) {
        self.channels[attempt] = nil
        self.places.ended(attempt)
    }

    private func failed(_ attempt: ListeningPlaces.Attempt, _ reason: String) {
        guard self.places.contains(attempt) else { return }
        self.places.ended(attempt)
        self.tellFailure("\(attempt.place.interfaceName), \(attempt.place.family.rawValue): \(reason)")
    }

    private func tellFailure(_ reason: String) {
        guard !self.isFailureTold else { return }
        self.isFailureTold = true
        self.sink?(.blocked(reason: reason))
    }

    // MARK: What is heard

    private func heard(_ instances: [HeardInstance], from address: String) {
        let now = self.eventLoop.now
        for instance in instances where self.throttle.allows(instance, from: address, at: now) {
            self.sink?(.announced(Announcement(instance: instance.name, address: address, port: instance.port)))
        }
    }
}

/// Hears devices announce themselves, also when they say what is known already. Belongs to one event loop, and is
/// touched there only.
package protocol AnnouncementSource: AnyObject {
    /// Begins. Call it once.
    /// - Parameter sink: takes every event, on the event loop.
    func start(_ sink: @escaping (AnnouncementEvent) -> Void)

    /// Stops; nothing is told afterwards.
    func stop()
}

/// A device was heard to say that it is there, whether or not it says anything new.
package struct Announcement: Hashable, Sendable {
    /// The name of the service instance, as ``CastService/folded(instance:)`` makes it.
    package let instance: String
    /// The address from which it was said; not always the device's own, since there are relays of multicast.
    package let address: String
    /// The port of the device's Cast channel at this address; nil unless the device says itself that it is there.
    package let port: Int?

    package init(instance: String, address: String, port: Int? = nil) {
        self.instance = CastService.folded(instance: instance)
        self.address = address
        self.port = port
    }
}

/// An event of a listener.
package enum AnnouncementEvent: Hashable, Sendable {
    /// A device was heard; told at most once a second of each.
    case announced(Announcement)
    /// Nothing can be heard somewhere, for this reason. Told once; it is tried again all the same.
    case blocked(reason: String)
}

/// Takes the datagrams of one place, and hands on what devices say in them.
final class AnnouncementHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let heard: (_ instances: [HeardInstance], _ address: String) -> Void

    init(heard: @escaping (_ instances: [HeardInstance], _ address: String) -> Void) {
        self.heard = heard
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = self.unwrapInboundIn(data)
        // Answers from elsewhere are no mDNS (RFC 6762, section 6).
        guard envelope.remoteAddress.port == ListeningPlace.port else { return }
        let address = envelope.remoteAddress.ipAddress ?? ""
        let instances = AnnouncementReader.instances(in: envelope.data.readableBytesUInt8Span, from: address)
        guard !instances.isEmpty else { return }
        self.heard(instances, address)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // It is opened again when the interfaces are looked at the next time.
        context.close(promise: nil)
    }
}
