import CastWire
import GatewayCore
import NIOCore
package import Passthrough
package import VirtualDevices

/// Who is connected to virtual devices, whether the senders end there or are passed through.
package struct ConnectedSenders: Sendable {
    /// The devices whose senders end there.
    package let running: RunningDevices
    /// The devices whose senders are passed through.
    package let passed: RunningPassthroughs

    package init(running: RunningDevices, passed: RunningPassthroughs) {
        self.running = running
        self.passed = passed
    }

    /// The senders of each device, by its name.
    package func all() async -> [(device: String, senders: [SenderOverview])] {
        let passed = await self.passed.overviews().map {
            (device: $0.name, senders: $0.splices.map(SenderOverview.init))
        }
        let names = Set(passed.map(\.device))
        // The gateway's own side of a device that is passed through has no senders but internal ones.
        let ended = await self.running.overviews().filter { !names.contains($0.state.name) }.map {
            (device: $0.state.name, senders: $0.senders)
        }
        return (ended + passed).sorted { $0.device < $1.device }
    }

    /// Disconnects senders of a device.
    /// - Parameters:
    ///   - reason: why, for the log and the event.
    ///   - isMeant: which.
    /// - Returns: those that are disconnected; nil when the device does not run, or does not answer within the patience of the caller.
    package func disconnect(
        from name: String, reason: String, where isMeant: @escaping @Sendable (SenderOverview) -> Bool
    ) async -> [SenderOverview]? {
        // The gateway's own side of a device that is passed through has none of its senders.
        guard self.passed.contains(name) else {
            return await self.running.disconnect(from: name, reason: reason, where: isMeant)
        }
        return await self.passed.disconnect(from: name, reason: reason) { isMeant(SenderOverview($0)) }?
            .map(SenderOverview.init)
    }
}

extension SenderOverview {
    /// A sender that is passed through: what it says of itself and which apps it uses is not seen.
    package init(_ splice: SpliceOverview) {
        self.init(
            connection: splice.connection, address: splice.address, since: splice.since, facts: SenderFacts([]),
            apps: [],
            isThrottled: false, throttledAt: nil)
    }
}
