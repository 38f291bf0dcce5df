import CastWire
package import FeatureContract
import GatewayCore
import GatewayOperations
import Logging
import NIOPosix
import Passthrough
import ServiceLifecycle
import Synchronization
import SystemPrimitives
package import VirtualDevices

/// Ends what guests do on virtual devices when they leave: their connections as senders, and the apps that they have joined.
///
/// An app stays when a sender of another address is connected to it that may still be there. What a device does not stop, being out of
/// reach for example, is tried again for a while, and after a restart of the gateway for as long again.
package final class GuestDepartures: Service, CustomStringConvertible {
    /// What leaving came to.
    struct Outcome: Sendable {
        /// How many connections of senders were closed.
        var closed = 0
        /// The apps that were stopped, as `device: app`, in their order.
        var stopped: [String] = []
        /// The apps that did not stop yet.
        var unstopped: [GuestSession] = []
    }

    /// How long event loops of virtual devices are waited for, all of them together.
    private static let loopPatience = Duration.seconds(5)
    /// How often stopping is tried: for about ten minutes.
    private static let tries = 43
    /// How long after a try the next one comes, at most; it begins with a second.
    private static let longestPause = Duration.seconds(15)

    /// Whose senders are disconnected, and who may stay.
    private struct Place {
        let senders: ConnectedSenders
        let rights: any SenderRights
        let started: @Sendable (_ device: String, _ address: String) -> Set<String>

        var running: RunningDevices { self.senders.running }
    }

    private let place: Mutex<Place?> = Mutex(nil)
    /// The virtual devices that ask for a join code now.
    private let guarded: @Sendable () -> [String]
    private let isReachable: @Sendable (_ device: String) -> Bool
    private let store: DepartureStore
    private let wallClock: @Sendable () -> Int64
    private let logger: Logger
    private let queue: AsyncStream<GuestDeparture>
    private let input: AsyncStream<GuestDeparture>.Continuation

    /// - Parameters:
    ///   - guarded: the names of those that ask for a join code now.
    ///   - isReachable: whether what stands behind a virtual device answers for itself now.
    ///   - store: keeps those whose apps did not stop yet.
    ///   - wallClock: seconds since 1970.
    init(
        guarded: @escaping @Sendable () -> [String],
        isReachable: @escaping @Sendable (_ device: String) -> Bool, store: DepartureStore,
        wallClock: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        self.guarded = guarded
        self.isReachable = isReachable
        self.store = store
        self.wallClock = wallClock
        self.logger = logger
        (self.queue, self.input) = AsyncStream.makeStream(of: GuestDeparture.self)
    }

    package var description: String { "guests" }

    /// Says which virtual devices there are, and who may use them; before ``run()``.
    /// - Parameter started: the sessions of apps on a device whose senders are passed through that were started while an address was
    ///   connected to it: what those senders join is not seen.
    package func follow(
        _ senders: ConnectedSenders, _ rights: any SenderRights,
        started: @escaping @Sendable (_ device: String, _ address: String) -> Set<String> = { _, _ in [] }
    ) {
        self.place.withLock { $0 = Place(senders: senders, rights: rights, started: started) }
    }

    /// Has those of before a restart ended who are still kept; blocks. Before ``run()``.
    /// - Throws: when the state database cannot be read.
    func resume() throws {
        for departure in try self.store.unfinished(at: UTCTime(seconds: self.wallClock())) { self.later(departure) }
    }

    /// Ends what a guest does, some time soon.
    func later(_ departure: GuestDeparture) { self.input.yield(departure) }

    func run() async {
        await withDiscardingTaskGroup { group in
            for await departure in self.queue.cancelOnGracefulShutdown() {
                group.addTask { await self.carryOut(departure) }
            }
            group.cancelAll()
        }
    }

    private func carryOut(_ departure: GuestDeparture) async {
        var left = departure
        for number in 1...Self.tries {
            let outcome = await self.end(left, isFirst: number == 1 && !departure.isResumed)
            // What a stop of the gateway cuts short goes on after its next start.
            guard !Task.isCancelled else { return }
            guard !outcome.unstopped.isEmpty else { break }
            if number == 1 {
                self.logger.warning(
                    "An app of a guest who left does not stop; that is tried again",
                    metadata: ["guest": "\(left.guest.id)", "device": "\(outcome.unstopped[0].device)"])
            }
            let rest = GuestDeparture(
                guest: left.guest, sessions: Set(outcome.unstopped), reason: left.reason)
            if number == 1 || rest.sessions != left.sessions { await self.keep(rest) }
            left = rest
            do { try await Task.sleep(for: Self.pause(after: number)) } catch { return }
        }
        await self.forget(left.guest)
    }

    private static func pause(after number: Int) -> Duration {
        min(.seconds(1 << min(number - 1, 8)), Self.longestPause)
    }

    /// Keeps what is still to be ended over a restart.
    private func keep(_ departure: GuestDeparture) async {
        await self.write { [wallClock] in try $0.replace(departure, at: UTCTime(seconds: wallClock())) }
    }

    /// Keeps a guest no more: all that the guest did has ended.
    func forget(_ guest: Guest) async { await self.write { try $0.forget(guest.id) } }

    private func write(_ body: @escaping @Sendable (DepartureStore) throws -> Void) async {
        let store = self.store
        do {
            try await NIOThreadPool.singleton.runIfActive { try body(store) }
        } catch {
            self.logger.warning("Guests who left are not kept as they are", metadata: ["reason": "\(error)"])
        }
    }

    /// Closes the guest's connections, and stops the guest's apps, once.
    /// - Parameter isFirst: false when that was tried before, so that the log has it already.
    func end(_ departure: GuestDeparture, isFirst: Bool = true) async -> Outcome {
        await EventLoopTimeout.$current.withValue(EventLoopTimeout(Self.loopPatience)) {
            await self.tryToEnd(departure, isFirst: isFirst)
        }
    }

    private func tryToEnd(_ departure: GuestDeparture, isFirst: Bool) async -> Outcome {
        guard let address = departure.guest.address, let place = self.place.withLock({ $0 }) else { return Outcome() }
        var outcome = Outcome()
        for device in self.guarded() where departure.guest.mayUse(device: device) {
            // The same address may be another guest's too.
            guard !place.rights.mayConnect(address, to: device) else { continue }
            let closed = await place.senders.disconnect(from: device, reason: departure.reason) {
                $0.address == address
            }
            outcome.closed += closed?.count ?? 0
            await self.stopApps(of: departure, address, on: device, place, &outcome)
        }
        guard isFirst else { return outcome }
        self.logger.info(
            "A guest left",
            metadata: [
                "guest": "\(departure.guest.id)", "reason": "\(departure.reason)", "address": "\(address)",
                "closed": .stringConvertible(outcome.closed), "stopped": .stringConvertible(outcome.stopped.count),
            ])
        return outcome
    }

    private func stopApps(
        of departure: GuestDeparture, _ address: String, on device: String, _ place: Place, _ outcome: inout Outcome
    ) async {
        var joined = departure.sessions.filter { $0.device == device }
        for session in place.started(device, address) { joined.insert(GuestSession(device: device, session: session)) }
        guard !joined.isEmpty else { return }
        // A sender that is passed through may use whatever runs.
        let passed = await place.senders.passed.overview(of: device)?.splices ?? []
        let isUsedByOthers = passed.contains {
            $0.address != address && place.rights.mayConnect($0.address, to: device)
        }
        // What a device out of reach runs is not known: the gateway shows none of its apps then.
        guard self.isReachable(device), let overview = await place.running.overview(of: device) else {
            outcome.unstopped += joined
            return
        }
        let stopper = AppStopper(VirtualDeviceSenders(place.running), isReachable: self.isReachable)
        for app in overview.apps {
            let session = GuestSession(device: device, session: app.facts.sessionID)
            let isOthers =
                isUsedByOthers
                || overview.senders.contains { sender in
                    // Connections that were closed a moment ago may still be there.
                    sender.address != address && place.rights.mayConnect(sender.address, to: device)
                        && sender.apps.contains { $0.sessionID == session.session }
                }
            guard joined.contains(session), !isOthers else { continue }
            do throws(GatewayError) {
                try await stopper.stop(session.session, on: device)
                outcome.stopped.append("\(device): \(app.facts.appID.rawValue)")
            } catch {
                if error.code != .unknownDevice { outcome.unstopped.append(session) }
            }
        }
    }

    /// Disconnects the senders that may not be connected any more, since a device asks for a join code from now on.
    func disconnectStrangers() async {
        guard let place = self.place.withLock({ $0 }) else { return }
        for device in self.guarded() {
            _ = await place.senders.disconnect(from: device, reason: "a join code is needed from now on") { sender in
                !place.rights.mayConnect(sender.address, to: device)
            }
        }
    }
}
