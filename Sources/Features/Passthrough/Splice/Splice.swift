import CastDiscovery
import CastTransport
import GatewayConfig
import GatewayCore
import MediaRelay
import NIOCore
import NIOPosix

/// One sender's connection and the one to the device that belongs to it: what comes in at one end goes out at the other, as it came.
///
/// Neither end is read while the other one has much waiting for it, so that a slow reader slows the writer down and nothing piles up
/// here. There is no task and no timer for a splice: its device looks at ``nextDeadline`` of all. Lives on the device's event loop.
final class Splice {
    /// More than the kernel keeps for an end that is not read: what may wait for the device until it is connected, in bytes.
    private static let maximumWaiting = 128 * 1024
    /// The number of addresses of the device that are tried.
    private static let triedAddresses = 3

    let id: ConnectionID
    /// The sender's address, without the port.
    let address: String
    /// The block that the sender's address counts for.
    let block: AddressBlock
    let began: NIODeadline
    /// The address where the device was reached; nil before.
    private(set) var target: DialAddress?
    /// True if both ends stand, or stood.
    private(set) var wasOpen = false
    /// The bytes that have come from each end.
    private(set) var received = (sender: UInt64(0), device: UInt64(0))

    private let device: PassthroughDevice
    private let limits: PassthroughLimits
    private let north: any Channel
    private let admission: ConnectionAdmission
    private var south: (any Channel)?
    private var machine = SpliceStateMachine()
    /// The bytes of the sender before the device was connected.
    private var waiting = ByteBuffer()
    private var candidates: [DialAddress] = []
    private var lastPassed: NIODeadline
    /// Since when an end has too much waiting for it.
    private var blocked: [SpliceSide: NIODeadline] = [:]
    private var isReading: Set<SpliceSide> = []

    init(
        id: ConnectionID, address: String, north: any Channel, admission: ConnectionAdmission,
        device: PassthroughDevice, limits: PassthroughLimits
    ) {
        self.id = id
        self.address = address
        self.block = AddressBlock(address)
        self.north = north
        self.admission = admission
        self.device = device
        self.limits = limits
        self.began = device.eventLoop.now
        self.lastPassed = self.began
    }

    /// The end's channel stands; the device is heard once the sender's bytes are on their way.
    func active(_ side: SpliceSide) {
        if side == .sender { self.read(.sender) }
    }

    var phase: SpliceStateMachine.Phase { self.machine.phase }

    /// The addresses of the sender and the device, and the address of this machine that the sender has connected to; nil before both ends
    /// stand, and where an end is no IP address. Ports do not matter.
    var ends: (sender: MediaEndpoint, screen: MediaEndpoint, device: MediaEndpoint)? {
        guard let sender = self.north.remoteAddress.flatMap(MediaEndpoint.init(_:)),
            let screen = self.north.localAddress.flatMap(MediaEndpoint.init(_:)),
            let device = self.south?.remoteAddress.flatMap(MediaEndpoint.init(_:))
        else { return nil }
        return (sender, screen, device)
    }

    /// Ends it; does nothing when it has ended.
    func cut(_ reason: SpliceEnding) {
        self.handle(.cut(reason))
    }

    // MARK: Time

    /// The time when ``timePassed(at:)`` has something to do.
    var nextDeadline: NIODeadline {
        guard self.machine.phase == .open else { return self.began + self.limits.opening * self.openingSteps }
        let stalls = self.blocked.values.min().map { $0 + self.limits.stall }
        return min(self.lastPassed + self.limits.idle, stalls ?? .distantFuture)
    }

    /// The sender has the time for its first bytes, and then the device as much for an answer to the connection.
    private var openingSteps: Int64 { self.machine.phase == .hello ? 1 : 2 }

    func timePassed(at now: NIODeadline) {
        guard now >= self.nextDeadline else { return }
        switch self.machine.phase {
        case .hello: self.cut(.silentSender)
        case .dialling: self.cut(.unreachable("it does not answer in time"))
        case .open:
            let late = self.blocked.first { now >= $0.value + self.limits.stall }?.key
            self.cut(late.map { .stalled($0) } ?? .idle(self.limits.idle))
        case .ended: break
        }
    }

    // MARK: What happens at the ends

    func received(_ bytes: ByteBuffer, from side: SpliceSide) {
        var bytes = bytes
        self.lastPassed = self.device.eventLoop.now
        switch side {
        case .sender: self.received.sender &+= UInt64(bytes.readableBytes)
        case .device:
            // The device has answered, so the sender is none of those that only hold a connection open.
            if self.received.device == 0 { self.admission.secured() }
            self.received.device &+= UInt64(bytes.readableBytes)
        }
        self.device.count(bytes.readableBytes, from: side)
        switch self.machine.phase {
        case .open: self.channel(side.other)?.write(bytes, promise: nil)
        case .hello, .dialling:
            self.waiting.writeBuffer(&bytes)
            if self.waiting.readableBytes > Self.maximumWaiting {
                return self.cut(.failed(.sender, "it sent too much before the device was connected"))
            }
            guard self.machine.phase == .hello else { return }
            switch ClientHelloCheck.judge(self.waiting) {
            case .unknown: break
            case .isHello: self.handle(.hello(isTLS: true))
            case .isNone: self.handle(.hello(isTLS: false))
            }
        case .ended: break
        }
    }

    func readEnded(_ side: SpliceSide) {
        self.isReading.remove(side)
        self.channel(side.other)?.flush()
        self.read(side)
    }

    func writabilityChanged(of side: SpliceSide, _ isWritable: Bool) {
        if isWritable {
            self.blocked[side] = nil
            self.read(side.other)
        } else if self.blocked[side] == nil {
            self.blocked[side] = self.device.eventLoop.now
            self.device.watch(self)
        }
    }

    func failed(_ side: SpliceSide, _ error: any Error) {
        // Writing to an end that is gone says less than its loss, which follows.
        if case .alreadyClosed? = error as? ChannelError { return }
        self.handle(.failed(side, TransportError.text(of: error)))
    }

    func handle(_ event: SpliceStateMachine.Event) {
        for action in self.machine.handle(event) {
            switch action {
            case .dial:
                if self.endsForRights() { return }
                self.device.watch(self)
                self.candidates = Array(self.device.candidates.prefix(Self.triedAddresses))
                self.dialNext(after: "it is away")
            case .open: self.open()
            case .endOutput(let side): self.endOutput(of: side)
            case .end(let reason): self.end(reason)
            }
        }
    }

    // MARK: Reading

    private func channel(_ side: SpliceSide) -> (any Channel)? { side == .sender ? self.north : self.south }

    /// Asks for more of an end, when the other one takes it.
    private func read(_ side: SpliceSide) {
        guard self.machine.reads(side), !self.isReading.contains(side), let channel = self.channel(side) else { return }
        if self.machine.phase == .open, self.channel(side.other)?.isWritable != true { return }
        self.isReading.insert(side)
        channel.read()
    }

    private func endOutput(of side: SpliceSide) {
        guard let channel = self.channel(side) else { return }
        let splice = NIOLoopBound(self, eventLoop: self.device.eventLoop)
        // Behind everything that waits for it.
        channel.writeAndFlush(ByteBuffer()).whenComplete { _ in
            channel.close(mode: .output, promise: nil)
            splice.value.handle(.outputEnded(side))
        }
    }

    // MARK: The device

    private func dialNext(after reason: String) {
        guard self.machine.phase == .dialling else { return }
        guard !self.candidates.isEmpty else { return self.handle(.dialFailed(reason)) }
        let address = self.candidates.removeFirst()
        self.device.identify(address) { refusal in
            if let refusal { self.dialNext(after: "\(address): \(refusal)") } else { self.dial(address) }
        }
    }

    private func dial(_ address: DialAddress) {
        guard self.machine.phase == .dialling else { return }
        let splice = NIOLoopBound(self, eventLoop: self.device.eventLoop)
        self.device.connect(to: address) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(SpliceHandler(.device, of: splice.value))
            }
        }.whenComplete { result in
            switch result {
            case .success(let channel): splice.value.dialled(channel, at: address)
            case .failure(let error):
                splice.value.dialNext(after: "\(address): \(TransportError.text(of: error))")
            }
        }
    }

    private func dialled(_ channel: any Channel, at address: DialAddress) {
        guard self.machine.phase == .dialling else { return channel.close(promise: nil) }
        if let remote = channel.remoteAddress, let port = remote.port,
            self.device.ownEndpoints.contains(host: remote.host, port: port)
        {
            channel.close(promise: nil)
            return self.dialNext(after: "\(address) is this gateway itself")
        }
        self.south = channel
        self.target = address
        if self.endsForRights() { return }
        self.handle(.dialled)
    }

    /// Ends it when its sender may not be connected any more: the guest may have checked out since the connection was accepted.
    private func endsForRights() -> Bool {
        guard let reason = self.device.obstacle(for: self.address) else { return false }
        self.cut(.closedLocally(reason))
        return true
    }

    private func open() {
        self.wasOpen = true
        self.lastPassed = self.device.eventLoop.now
        self.device.opened(self)
        if self.waiting.readableBytes > 0 { self.south?.writeAndFlush(self.waiting, promise: nil) }
        self.waiting = ByteBuffer()
        self.read(.sender)
        self.read(.device)
    }

    // MARK: The end

    private func end(_ reason: SpliceEnding) {
        self.waiting = ByteBuffer()
        self.candidates = []
        self.north.close(promise: nil)
        self.south?.close(promise: nil)
        self.device.ended(self, reason)
    }
}
