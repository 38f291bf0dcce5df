import CastIdentity
import CastwayTestSupport
import ControlAPI
import GatewayCore
import GatewayMetrics
import GatewayOperations
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import CallerAccess
@testable import GuestAccess

/// What a desk is made of, and what it tells.
final class JoinDeskBench {
    static let address = "192.0.2.7"

    let folder: TemporaryFolder
    let time = GuestClock()
    let eventLoop = NIOAsyncTestingEventLoop()
    let events = EventBus()
    let recorder = LogRecorder()
    let departures = Inbox<GuestDeparture>()
    private(set) var desk: JoinCodeService
    private(set) var authority: TokenAuthority

    init(obstacle: String? = nil) throws {
        self.folder = try TemporaryFolder()
        (self.desk, self.authority) = try Self.make(
            self.folder, self.time, self.eventLoop, self.events, self.recorder, self.departures, obstacle)
    }

    private static func make(
        _ folder: TemporaryFolder, _ time: GuestClock, _ eventLoop: NIOAsyncTestingEventLoop, _ events: EventBus,
        _ recorder: LogRecorder, _ departures: Inbox<GuestDeparture>, _ obstacle: String?
    ) throws -> (JoinCodeService, TokenAuthority) {
        let identities = try IdentityStore.open(stateDirectory: folder.path)
        let audit = AuditLog(recorder.logger("Audit"))
        let authority = try TokenAuthority(
            store: try TokenStore(identities.database), configured: [], audit: audit, eventLoop: eventLoop,
            wallClock: { time.now }, keepUse: { _, _ in })
        let desk = try JoinCodeService(
            store: try JoinStore(identities.database), authority: authority,
            context: GuestContext(
                events: events, audit: audit, metrics: MetricsRegistry(), logger: recorder.logger("Guests"),
                eventLoop: eventLoop, wallClock: { time.now }, obstacle: obstacle,
                depart: { departures.put($0) }))
        return (desk, authority)
    }

    /// Another gateway on the same state.
    func restart() throws {
        self.desk.register.close()
        (self.desk, self.authority) = try Self.make(
            self.folder, self.time, self.eventLoop, self.events, self.recorder, self.departures, nil)
    }

    func pass(_ seconds: Int64) async {
        self.time.pass(seconds)
        await self.eventLoop.advanceTime(by: .seconds(seconds))
    }

    func create(
        _ devices: [String] = ["room-12"], connects: Bool = true, scopes: Set<OperationScope> = [],
        stay: Int = 86_400, uses: Int = 1, from start: UTCTime? = nil, lifetime: Int = 900, for caller: Caller = .admin
    ) throws -> (code: JoinCode, digits: String, link: String) {
        try self.desk.create(
            name: "room",
            grant: JoinGrant(
                devices: devices.map { DevicePattern($0) }, connects: connects, scopes: scopes, stay: stay),
            uses: uses, from: start, lifetime: lifetime, for: caller)
    }

    /// The guest, or the code of the problem.
    func redeem(_ shown: ShownCode, from address: String? = JoinDeskBench.address) -> String {
        do throws(OperationProblem) {
            return try self.desk.redeem(shown, from: address, counted: "test").guest.id
        } catch {
            return error.code
        }
    }

    func mayConnect(_ address: String = JoinDeskBench.address, to device: String = "room-12") -> Bool {
        self.desk.register.book.mayConnect(address, to: device)
    }

    func hasAudited(_ event: AuditEntry.Event, _ outcome: String) -> Bool {
        self.recorder.entries.contains {
            $0.label == "Audit" && $0.metadata["event"] == "\(event.rawValue)"
                && $0.metadata["outcome"] == "\(outcome)"
        }
    }
}

/// A clock that a test turns.
final class GuestClock: Sendable {
    private let seconds = Mutex<Int64>(1_000_000)
    var now: Int64 { self.seconds.withLock { $0 } }
    func pass(_ seconds: Int64) { self.seconds.withLock { $0 += seconds } }
}
