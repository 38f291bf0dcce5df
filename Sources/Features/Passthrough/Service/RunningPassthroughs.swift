package import GatewayCore
package import NIOCore
import Synchronization
import SystemPrimitives

package enum PassthroughState: String, Sendable, Hashable, CaseIterable {
    /// Senders see it and can connect.
    case announced
    /// Senders can connect, and it is not announced.
    case listening
    case away
    /// Senders may not connect at this time.
    case closed = "outside hours"
    /// The real device is in a network in which it is to be announced.
    case sameNetwork = "same network"
}

/// Counts of a device that is passed through since it began.
package struct PassthroughCounts: Sendable, Hashable {
    /// The number of splices that stood.
    package var opened: UInt64 = 0
    /// The number of connections that ended before they stood.
    package var refused: UInt64 = 0
    package var fromSenders: UInt64 = 0
    package var fromDevice: UInt64 = 0
}

/// A device that is passed through, as it stood at one moment.
package struct PassthroughOverview: Sendable {
    /// The name in `gateway.yaml`.
    package let name: String
    /// The real device, as `gateway.yaml` names it.
    package let target: String
    package let state: PassthroughState
    package let announcedIn: [String]
    package let counts: PassthroughCounts
    /// The connected senders, the oldest first.
    package let splices: [SpliceOverview]
    /// The streams of mirroring senders, the oldest first.
    package let streams: [MirroringStream]
}

/// A sender that is passed through.
package struct SpliceOverview: Sendable, Hashable {
    package let connection: ConnectionID
    /// The sender's address, without the port.
    package let address: String
    package let since: NIODeadline
    /// In bytes.
    package let fromSender: UInt64
    /// In bytes.
    package let fromDevice: UInt64
}

/// The devices that are passed through now, for those who ask what runs.
package final class RunningPassthroughs: Sendable {
    private struct Entry: Sendable {
        let id: ObjectIdentifier
        let name: String
        let device: NIOLoopBound<PassthroughDevice>

        func answer<Answer: Sendable>(_ question: @escaping @Sendable (PassthroughDevice) -> Answer) async -> Answer? {
            await self.device.eventLoop.answer(about: "virtual:\(self.name)") { [device] in question(device.value) }
        }
    }

    private let devices = Mutex<[Entry]>([])

    package init() {}

    /// The devices by name; one after the other is asked on its event loop, within the patience of the caller.
    package func overviews() async -> [PassthroughOverview] {
        let all = self.devices.withLock { $0 }
        let current = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { $1 }).sorted { $0.key < $1.key }
        var overviews: [PassthroughOverview] = []
        for (_, entry) in current {
            if let overview = await entry.answer({ $0.overview }) { overviews.append(overview) }
        }
        return overviews
    }

    /// One device; nil when it does not run, or does not answer within the patience of the caller.
    package func overview(of name: String) async -> PassthroughOverview? {
        await self.entry(name)?.answer { $0.overview }
    }

    /// Ends splices of a device.
    /// - Parameter reason: why, for the log and the event.
    /// - Returns: those that are ended; nil when the device does not run, or does not answer within the patience of the caller.
    package func disconnect(
        from name: String, reason: String, where isMeant: @escaping @Sendable (SpliceOverview) -> Bool
    ) async -> [SpliceOverview]? {
        await self.entry(name)?.answer { $0.disconnect(reason: reason, where: isMeant) }
    }

    package func contains(_ name: String) -> Bool { self.entry(name) != nil }

    private func entry(_ name: String) -> Entry? { self.devices.withLock { $0.last { $0.name == name } } }

    /// Adds a device; call it on the device's event loop.
    func add(_ device: PassthroughDevice) {
        let bound = NIOLoopBound(device, eventLoop: device.eventLoop)
        self.devices.withLock { $0.append(Entry(id: ObjectIdentifier(device), name: device.name, device: bound)) }
    }

    func remove(_ device: PassthroughDevice) {
        let id = ObjectIdentifier(device)
        self.devices.withLock { $0.removeAll { $0.id == id } }
    }
}
