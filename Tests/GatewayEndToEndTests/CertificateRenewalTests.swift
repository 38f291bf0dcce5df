import BuiltInReceiver
import CastIdentity
import CastWire
import CastwayTestSupport
import GRDB
import GatewayConfig
import GatewayCore
import GatewaySettings
import GatewayTesting
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycleTestKit
import Synchronization
import Testing
import VirtualDevices

/// The TLS certificate lives two days and is replaced before, while live connections stay (protocol notes, 2.5 to 2.7).
@Suite struct CertificateRenewalTests {
    @Test(.timeLimit(.minutes(1))) func aNewCertificateLeavesLiveConnectionsAlone() async throws {
        try await TemporaryFolder.with { folder in
            let store = try IdentityStore.open(stateDirectory: folder.path)
            let clock = TestClock()
            let time = WallTime(seconds: 1_800_000_000)
            let service = Self.service(Self.environment(store), clock, time)
            try await testGracefulShutdown { trigger in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await service.run() }
                    let port = try await service.untilListening().castPort
                    try await TestSender.connect(to: port) { early in
                        _ = try await early.connectPlatform()
                        await clock.waitForSleepers()
                        time.advance(bySeconds: 30 * 3600)
                        clock.advance(by: .seconds(3600))
                        // The renewal is done when the service waits for the next hour.
                        await clock.waitForSleepers()
                        try await TestSender.connect(to: port) { late in
                            #expect(late.leaf != early.leaf)
                            try await Self.expectProof(from: late, store: store, time: time)
                        }
                        try await Self.expectProof(from: early, store: store, time: time)
                    }
                    trigger.triggerGracefulShutdown()
                    try await group.waitForAll()
                }
            }
        }
    }

    /// A board without a clock of its own starts years back, or ahead: nothing is waited for once its clock is set.
    @Test(.timeLimit(.minutes(1)), arguments: [8 * 365 * 86_400, -8 * 365 * 86_400] as [Int64])
    func aClockThatIsSetRenewsAtOnce(_ step: Int64) async throws {
        try await TemporaryFolder.with { folder in
            let store = try IdentityStore.open(stateDirectory: folder.path)
            let clock = TestClock()
            let time = WallTime(seconds: 1_800_000_000)
            let events = EventBus()
            let log = LogRecorder()
            let service = Self.service(Self.environment(store, events), clock, time, log.logger())
            try await testGracefulShutdown { trigger in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await service.run() }
                    let port = try await service.untilListening().castPort
                    let early = try await TestSender.connect(to: port) { $0.leaf }
                    await clock.waitForSleepers()
                    time.advance(bySeconds: step)
                    events.clock.announce()
                    _ = await log.next("TLS certificate renewed")
                    let late = try await TestSender.connect(to: port) { $0.leaf }
                    #expect(late != early)
                    // The proof is judged by the time that it is now.
                    try await TestSender.connect(to: port) { sender in
                        _ = try await sender.connectPlatform()
                        try await Self.expectProof(from: sender, store: store, time: time)
                    }
                    trigger.triggerGracefulShutdown()
                    try await group.waitForAll()
                }
            }
        }
    }

    /// A disk that takes nothing: the old certificate stays, then one that is not stored, and at last one that is.
    @Test(.timeLimit(.minutes(1))) func whatCannotBeStoredIsTriedAgain() async throws {
        try await TemporaryFolder.with { folder in
            let store = try IdentityStore.open(stateDirectory: folder.path)
            let clock = TestClock()
            let time = WallTime(seconds: 1_800_000_000)
            let log = LogRecorder()
            let service = Self.service(Self.environment(store), clock, time, log.logger())
            try await testGracefulShutdown { trigger in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await service.run() }
                    let port = try await service.untilListening().castPort
                    let first = try await TestSender.connect(to: port) { $0.leaf }
                    try Self.refuseWriting(true, in: store)
                    let second = try await Self.leaf(at: port, after: 30, clock, time)
                    #expect(second == first)
                    #expect(log.entries(atLeast: .error).count == 1)
                    let third = try await Self.leaf(at: port, after: 17, clock, time)
                    #expect(third != first)
                    #expect(log.entries(atLeast: .error).count == 2)
                    try Self.refuseWriting(false, in: store)
                    let fourth = try await Self.leaf(at: port, after: 1, clock, time)
                    #expect(fourth != third)
                    #expect(log.entries(atLeast: .error).count == 2)
                    trigger.triggerGracefulShutdown()
                    try await group.waitForAll()
                }
            }
        }
    }

    private static func refuseWriting(_ isRefused: Bool, in store: IdentityStore) throws {
        let trigger =
            isRefused
            ? "CREATE TRIGGER refusal BEFORE INSERT ON identity_leaf BEGIN SELECT RAISE(ABORT, 'refused'); END"
            : "DROP TRIGGER refusal"
        try store.database.write { try $0.execute(sql: trigger) }
    }

    /// The certificate after so many hours, when the service has looked at it again.
    private static func leaf(
        at port: Int, after hours: Int64, _ clock: TestClock, _ time: WallTime
    ) async throws -> [UInt8] {
        await clock.waitForSleepers()
        time.advance(bySeconds: hours * 3600)
        clock.advance(by: .seconds(3600))
        await clock.waitForSleepers()
        return try await TestSender.connect(to: port) { $0.leaf }
    }

    /// The device signs the certificate of this very connection.
    private static func expectProof(from sender: TestSender, store: IdentityStore, time: WallTime) async throws {
        let challenge = DeviceAuthMessage(challenge: AuthChallenge(senderNonce: [1, 2, 3], hashAlgorithm: .sha256))
        try await sender.send(
            CastMessage(
                source: .platformSender, destination: .platformReceiver, namespace: .deviceAuth,
                payload: challenge.payload))
        let message = try #require(try await sender.receive { $0.namespace == .deviceAuth })
        let response = try #require(try DeviceAuthMessage(parsing: message.payload.bytes).response)
        let proof = DeviceAuthProof(
            signature: response.signature, deviceCertificate: response.clientAuthCertificate,
            intermediates: response.intermediateCertificates, hash: .sha256, nonce: response.senderNonce ?? [])
        let verifier = try DeviceAuthVerifier(trustedRoots: [try store.root(now: time.seconds).der])
        _ = try verifier.verify(proof, leaf: sender.leaf, challengeNonce: [1, 2, 3], now: time.seconds)
    }

    private static let target = LocalReceiverFactory(VirtualDeviceConfiguration.bench.receiver)

    private static func service(
        _ environment: VirtualDeviceEnvironment, _ clock: TestClock, _ time: WallTime,
        _ logger: Logger = Logger(label: "test")
    ) -> ListeningService {
        ListeningService(
            VirtualDeviceHost(
                VirtualDeviceTerms(
                    VirtualDeviceConfiguration.bench.device, target: Self.target, environment: environment),
                logger: logger, clock: clock, wallClock: { time.seconds }))
    }

    private static func environment(
        _ store: IdentityStore, _ events: EventBus = EventBus()
    ) -> VirtualDeviceEnvironment {
        VirtualDeviceEnvironment(
            identities: store, registry: HandlerRegistry(), routerSettings: RouterSettings(), events: events,
            eventLoops: MultiThreadedEventLoopGroup.singleton, limits: SenderLimits(), drain: .zero)
    }
}

/// The time of day, as the test sets it.
private final class WallTime: Sendable {
    private let value: Mutex<Int64>

    init(seconds: Int64) {
        self.value = Mutex(seconds)
    }

    var seconds: Int64 { self.value.withLock { $0 } }

    func advance(bySeconds seconds: Int64) {
        self.value.withLock { $0 += seconds }
    }
}
