import DeviceHosting
import FeatureContract
import GatewaySettings
import Glibc
package import Logging
import NIOCore
import ServiceLifecycle
import SystemPrimitives
package import UnixSignals
package import VirtualDevices

/// Runs a gateway as a service: obeys signals, tells the service manager how it is, and gives signs of life.
///
/// | signal | what happens |
/// |---|---|
/// | SIGTERM, SIGINT | the gateway drains and ends; a second one ends the process at once |
/// | SIGHUP | the configuration is read anew; the service manager learns when that begins and ends |
/// | SIGQUIT | its state goes to the log, and it goes on |
package struct GatewayDaemon: Sendable {
    /// Why the process has to end before the gateway has.
    package enum Abort: Sendable, Hashable {
        /// A second signal asked for it.
        case secondSignal
        /// Draining took longer than `shutdown.total`.
        case overdue
    }

    /// How often the status is told anew when no watchdog asks for more.
    private static let statusInterval = Duration.seconds(10)
    /// What ends by itself within `shutdown.total` is not cut short in its last moment.
    private static let grace = Duration.seconds(1)

    let gateway: Gateway
    let logger: Logger
    let start = ContinuousClock.now
    private let notifier: ServiceNotifier?
    private let watchdog: Watchdog?

    /// Prepares to run a gateway.
    /// - Parameters:
    ///   - notifier: tells the service manager; nil when there is none.
    ///   - watchdog: what the service manager demands; nil when it demands nothing.
    ///   - logger: for what is said here.
    package init(
        gateway: Gateway, notifier: ServiceNotifier? = nil, watchdog: Watchdog? = nil,
        logger: Logger = Logger(label: "Gateway")
    ) {
        self.gateway = gateway
        self.notifier = notifier
        self.watchdog = watchdog
        self.logger = logger
    }

    /// Asks every event loop of the gateway.
    private var pulse: EventLoopProbe {
        EventLoopProbe(eventLoops: self.gateway.context.allLoops, devices: self.gateway.running)
    }

    /// Runs until the gateway ends, as ``Gateway/run(hangUps:onReady:)``.
    /// - Parameters:
    ///   - hangUps: signals that ask for a reload, trapped by the caller before anything else.
    ///   - onReady: called once, when every virtual device can be connected to.
    ///   - onAbort: ends the process.
    /// - Throws: as ``Gateway/run(hangUps:onReady:)``.
    package func run(
        hangUps: UnixSignalsSequence? = nil,
        onReady: @escaping @Sendable (_ endpoints: [VirtualDeviceEndpoints]) -> Void,
        onAbort: @escaping @Sendable (_ reason: Abort) -> Never
    ) async throws {
        let stops = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let dumps = await UnixSignalsSequence(trapping: .sigquit)
        self.checkDescriptors()
        self.gateway.watchReloads(ReloadWatch(began: self.reloadBegan, ended: self.reloadEnded))
        defer { self.gateway.watchReloads(nil) }
        let (running, ready) = (Latch(), Latch())
        let service = StoppableService { [gateway, notifier] in
            running.open()
            try await gateway.run(hangUps: hangUps) { endpoints in
                InheritedDescriptors.keepBack()
                notifier?.send(.ready, .status(self.status))
                ready.open()
                onReady(endpoints)
            }
        }
        // The gateway's own group learns of signals later than this one, and one that comes between would be lost.
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: service, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                ], logger: self.logger))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await services.run()
                return true
            }
            group.addTask {
                for await _ in dumps { await self.logState() }
                return false
            }
            group.addTask {
                await running.waitUnlessCancelled()
                await self.obey(stops, stopping: services, onAbort: onAbort)
                return false
            }
            group.addTask {
                await ready.waitUnlessCancelled()
                await self.giveSignsOfLife()
                return false
            }
            group.addTask {
                await self.handMemoryBack()
                return false
            }
            group.addTask {
                await self.keepDescriptorsBack()
                return false
            }
            while let isGatewayDone = try await group.next(), !isGatewayDone {}
            group.cancelAll()
        }
    }

    // MARK: The end

    private func obey(
        _ stops: UnixSignalsSequence, stopping services: ServiceGroup, onAbort: @escaping @Sendable (Abort) -> Never
    ) async {
        await withTaskGroup(of: Void.self) { group in
            var isStopping = false
            for await signal in stops {
                if isStopping {
                    self.logger.warning("Ending at once, since a second signal came", metadata: ["signal": "\(signal)"])
                    onAbort(.secondSignal)
                }
                isStopping = true
                let total = self.gateway.configuration.shutdown.total + Self.grace
                self.logger.notice("Stopping", metadata: ["signal": "\(signal)", "at_most": "\(total)"])
                self.notifier?.send(.stopping, .status("Stopping: \(self.status)"), .extendTimeout(total + Self.grace))
                await services.triggerGracefulShutdown()
                group.addTask {
                    do { try await ContinuousClock().sleep(for: total) } catch { return }
                    self.logger.error("Ending now: what the gateway was doing took longer than shutdown.total")
                    onAbort(.overdue)
                }
            }
            group.cancelAll()
        }
    }

    // MARK: The service manager

    private func reloadBegan() {
        guard !self.gateway.isStopping else { return }
        self.notifier?.reloading("Reloading: \(self.status)")
    }

    private func reloadEnded(_ outcome: ReloadOutcome) {
        InheritedDescriptors.keepBack()
        if case .success = outcome { self.checkDescriptors() }
        // Who stops has said so, and is not ready any more.
        guard !self.gateway.isStopping else { return }
        switch outcome {
        case .success: self.notifier?.reloaded(self.status)
        case .failure(let failure):
            self.notifier?.reloaded("Reload failed, the old configuration stays: \(failure). \(self.status)")
        }
    }

    /// What people read in `systemctl status`.
    var status: String {
        let configuration = self.gateway.configuration
        let devices = configuration.discovery.staticDevices
        var parts = [
            Self.count(configuration.virtualDevices.count, "virtual device"),
            Self.count(self.gateway.senderCount, "sender"),
        ]
        if !devices.isEmpty {
            let online = devices.count { self.gateway.isOnline($0.name) }
            parts.append("\(online) of \(Self.count(devices.count, "device")) online")
        }
        return parts.joined(separator: ", ")
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Tells the manager that all event loops turn, as often as it demands, and the status when it changed.
    private func giveSignsOfLife() async {
        guard let notifier = self.notifier else { return }
        let interval = min(self.watchdog?.interval ?? Self.statusInterval, Self.statusInterval)
        let clock = ContinuousClock()
        var told = self.status
        while !Task.isCancelled {
            let begin = clock.now
            if self.watchdog != nil {
                let answers = await self.pulse.take(within: interval / 2)
                if answers.silent.isEmpty {
                    notifier.send(.watchdog)
                } else if !Task.isCancelled {
                    self.logger.error(
                        "Event loops do not answer; the watchdog is not told that all is well",
                        metadata: ["loops": .array(answers.silent.sorted().map { .stringConvertible($0) })])
                }
            }
            let status = self.status
            if status != told, notifier.send(.status(status)) { told = status }
            do { try await clock.sleep(until: begin + interval) } catch { return }
        }
    }

    // MARK: Descriptors

    private func checkDescriptors() {
        let limit = DescriptorLimit.current
        let need = DescriptorNeed(self.gateway.configuration)
        guard need.total > limit.soft else { return }
        let shares = DescriptorShares(need, limit: limit.soft)
        self.logger.warning(
            "connections.senders.max_total does not fit into the limit of open files; raise LimitNOFILE or lower it",
            metadata: [
                "limit": .stringConvertible(limit.soft), "max_total": .stringConvertible(need.senders),
                "devices": .stringConvertible(need.devices), "listeners": .stringConvertible(need.listeners),
                "reserve": .stringConvertible(need.reserve),
                "admin": .stringConvertible(need.admin), "streams": .stringConvertible(need.streams),
                "plugins": .stringConvertible(need.plugins),
                "senders_that_fit": .stringConvertible(shares.senders),
                "setup_that_fit": .stringConvertible(shares.setup),
            ])
    }

    // MARK: SIGQUIT

    /// How long event loops have to say what their devices do.
    private static let patience = Duration.seconds(1)

    /// Writes to the log what the gateway is busy with: one line for the whole, one for each device.
    func logState() async {
        let pulse = self.pulse
        let answers = await pulse.take(within: Self.patience)
        let configuration = self.gateway.configuration
        let devices = configuration.discovery.staticDevices
        let limit = DescriptorLimit.current
        self.logger.notice(
            "State",
            metadata: [
                "uptime_seconds": .stringConvertible(Int((ContinuousClock.now - self.start).components.seconds)),
                "virtual_devices": .stringConvertible(answers.devices.count),
                "senders": .stringConvertible(self.gateway.senderCount),
                "sessions": .stringConvertible(answers.devices.reduce(0) { $0 + $1.sessions }),
                "devices": .stringConvertible(devices.count),
                "devices_online": .stringConvertible(devices.count { self.gateway.isOnline($0.name) }),
                "loops": .stringConvertible(pulse.eventLoops.count),
                "silent_loops": .stringConvertible(answers.silent.count),
                "slowest_loop_microseconds": .stringConvertible(answers.slowest.wholeMicroseconds),
                // When none is left, not even this can be counted.
                "descriptors": .stringConvertible(DescriptorLimit.openCount ?? limit.soft),
                "descriptor_limit": .stringConvertible(limit.soft),
                "peak_memory_kib": .stringConvertible(Self.peakMemory),
            ])
        for state in answers.devices {
            self.logger.notice(
                "State of a virtual device",
                metadata: [
                    "device": "\(state.name)", "target": "\(state.target ?? "local")",
                    "senders": .stringConvertible(state.senders), "sessions": .stringConvertible(state.sessions),
                    "held_flows": .stringConvertible(state.heldFlows),
                    "rejected": .stringConvertible(state.rejected),
                    "handler_failures": .stringConvertible(state.handlerFailures),
                ])
        }
        for device in devices {
            self.logger.notice(
                "State of a device",
                metadata: [
                    "target": "\(device.name)", "address": "\(device.address)",
                    "online": .stringConvertible(self.gateway.isOnline(device.name)),
                ])
        }
    }

    /// The most memory that the process ever used, in KiB.
    private static var peakMemory: Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_maxrss
    }
}

/// Something that a service group can end.
private struct StoppableService: Service {
    let body: @Sendable () async throws -> Void

    func run() async throws {
        try await self.body()
    }
}
