internal import Glibc
internal import Logging
internal import SystemPrimitives
internal import VirtualDevices

// What SIGQUIT asks for.
extension GatewayDaemon {
    /// How long event loops have to say what their devices do.
    private static let patience = Duration.seconds(1)

    /// Writes to the log what the gateway is busy with: one line for the whole, one for each device.
    func logState() async {
        let answers = await self.pulse.take(within: Self.patience)
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
                "loops": .stringConvertible(self.pulse.eventLoops.count),
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
