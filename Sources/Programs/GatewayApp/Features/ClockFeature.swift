import CClock
import FeatureContract
import GatewayCore
import Glibc
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import SystemPrimitives

/// Notices that the time of day was set, and has everything judged anew that goes by it: certificates, guests, join codes, tokens
/// and hours. So does a reload.
///
/// Linux tells at once when the clock is set; where it does not, as in some containers, the clock is compared with the time that
/// has passed. A small board without a clock of its own starts years back, and its clock is set a while later.
final class ClockFeature: GatewayFeature, Service, CustomStringConvertible {
    let name = "clock"
    /// How often the clocks are compared: within a minute a step has been seen, whatever the system tells.
    private static let interval = TimeAmount.seconds(20)

    private let context: GatewayContext
    private let logger: Logger
    private let comparison: Mutex<ClockComparison>

    init(_ context: GatewayContext) {
        self.context = context
        self.logger = context.makeLogger("Gateway")
        self.comparison = Mutex(ClockComparison(seconds: context.wallClock(), now: .now()))
    }

    var description: String { self.name }

    func services(among features: [any GatewayFeature]) -> [StagedService] { [StagedService(.alone, self)] }

    func run() async {
        // An event loop's timer goes by a clock that cannot be set, and that stands still while the host sleeps.
        let looks = self.context.eventLoops.next().scheduleRepeatedTask(
            initialDelay: Self.interval, delay: Self.interval
        ) { _ in self.look() }
        await cancelWhenGracefulShutdown {
            await self.followSystem()
            // Where the system cannot tell, the timer alone looks until the gateway stops.
            await untilCancelled()
        }
        looks.cancel()
    }

    /// Looks whenever the system says that the clock was set; ends where it cannot say.
    private func followSystem() async {
        while !Task.isCancelled, await Self.untilSet(on: self.context.eventLoops) {
            self.look()
            // What sets the clock again and again is looked at once a second.
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
        }
    }

    /// Compares the clocks, and tells of a step.
    private func look() {
        let (seconds, now) = (self.context.wallClock(), NIODeadline.now())
        guard let step = self.comparison.withLock({ $0.step(seconds: seconds, now: now) }) else { return }
        self.logger.notice(
            "The clock was set; what goes by the time of day is judged anew",
            metadata: ["seconds": .stringConvertible(step)])
        self.context.events.clock.announce()
    }

    /// Waits until the time of day is set, or the task is cancelled.
    /// - Returns: false where the system cannot tell.
    private static func untilSet(on group: any EventLoopGroup) async -> Bool {
        let descriptor = castway_clock_set_descriptor()
        guard descriptor >= 0 else { return false }
        let channel: any Channel
        do {
            channel = try await NIOPipeBootstrap(group: group).takingOwnershipOfDescriptor(input: descriptor).get()
        } catch {
            Glibc.close(descriptor)
            return false
        }
        // The read that tells of it fails, which closes the channel.
        await withTaskCancellationHandler {
            try? await channel.closeFuture.get()
        } onCancel: {
            channel.close(promise: nil)
        }
        return true
    }
}

/// Whether the time of day has gone on as much as time has passed.
struct ClockComparison {
    /// Clocks are read one after the other and in whole seconds, and one that is kept right runs a little faster or slower.
    private static let tolerance: Int64 = 2

    private var offset: Int64

    /// - Parameters:
    ///   - seconds: the time of day, in seconds since 1970.
    ///   - now: the same moment by a clock that cannot be set.
    init(seconds: Int64, now: NIODeadline) {
        self.offset = Self.offset(seconds, now)
    }

    /// Takes what the clocks show now.
    /// - Returns: by how many seconds the time of day was set since the last look; nil when it was not.
    mutating func step(seconds: Int64, now: NIODeadline) -> Int64? {
        let offset = Self.offset(seconds, now)
        let (step, _) = offset.subtractingReportingOverflow(self.offset)
        guard step.magnitude >= Self.tolerance.magnitude else { return nil }
        self.offset = offset
        return step
    }

    private static func offset(_ seconds: Int64, _ now: NIODeadline) -> Int64 {
        seconds.subtractingReportingOverflow(Int64(now.uptimeNanoseconds / 1_000_000_000)).partialValue
    }
}
