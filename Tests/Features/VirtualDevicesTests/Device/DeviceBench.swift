import CastIdentity
import CastWire
import CastwayTestSupport
import GRDB
import GatewayConfig
import GatewayCore
import GatewayTesting
import NIOCore
import NIOEmbedded

@testable import VirtualDevices

/// A virtual device with a fake behind it, on an event loop whose time stands still.
final class DeviceBench {
    static let now: Int64 = 1_800_000_000

    /// Made once: a key takes its time.
    static let store: Result<IdentityStore, any Error> = Result { try IdentityStore(database: DatabaseQueue()) }

    static func identity() throws -> DeviceIdentity {
        try self.store.get().loadOrCreate(device: "test", now: self.now)
    }

    let loop = EmbeddedEventLoop()
    let target = FakeTarget()
    let log = LogRecorder()
    let bus = EventBus()
    let device: VirtualDevice

    /// - Parameters:
    ///   - messagesPerSecond: what an address may send; nothing limits it if not told.
    ///   - rights: learns which apps senders join.
    ///   - obstacle: why an address may not be connected.
    init(
        _ handlers: [any MessageHandler] = [], messagesPerSecond: Int? = nil,
        rights: any SenderRights = NoSenderRights(),
        obstacle: @escaping (String) -> String? = { _ in nil }
    ) throws {
        let registry = HandlerRegistry()
        try registry.replaceAll(with: handlers)
        self.device = VirtualDevice(
            facts: .test(), target: self.target,
            signer: ChallengeSigner(identity: try Self.identity(), eventLoop: self.loop), registry: registry,
            settings: RouterSettings(), events: self.bus, connectionIDs: ConnectionIDs(),
            limits: SenderLimits { $0.messagesPerSecond = messagesPerSecond }, rights: rights, obstacle: obstacle,
            eventLoop: self.loop,
            logger: self.log.logger())
        self.device.start()
    }

    /// A sender that has just connected.
    func connect(_ messages: CastMessage...) throws -> EmbeddedSender {
        let sender = try EmbeddedSender(on: self.loop, device: self.device)
        for message in messages { try sender.say(message) }
        return sender
    }
}
