public import GatewayCore
public import NIOCore
import Synchronization
import SystemPrimitives

/// How a device that is passed through is.
public enum PassthroughState: String, Sendable, Hashable, CaseIterable {
    /// Senders see it and can connect.
    case announced
    /// Senders can connect, and it is not announced.
    case listening
    /// The real device is not there.
    case away
    /// Senders may not connect at this time.
    case closed = "outside hours"
    /// The real device is in a network in which it is to be announced.
    case sameNetwork = "same network"
}

/// What a device that is passed through has counted since it began.
public struct PassthroughCounts: Sendable, Hashable {
    /// How many splices stood.
    public var opened: UInt64 = 0
    /// How many connections ended before they stood.
    public var refused: UInt64 = 0
    /// Bytes that came from senders.
    public var fromSenders: UInt64 = 0
    /// Bytes that came from the device.
    public var fromDevice: UInt64 = 0
}

/// A device that is passed through, as it stood at one moment.
public struct PassthroughOverview: Sendable {
    /// The name in `gateway.yaml`.
    public let name: String
    /// The real device, as `gateway.yaml` names it.
    public let target: String
    /// How it is.
    public let state: PassthroughState
    /// The interfaces in which it is announced.
    public let announcedIn: [String]
    /// What it has counted.
    public let counts: PassthroughCounts
    /// Who is connected, the oldest first.
    public let splices: [SpliceOverview]
    /// The streams of mirroring senders, the oldest first.
    public let streams: [MirroringStream]
}

/// A sender that is passed through.
public struct SpliceOverview: Sendable, Hashable {
    /// Its channel.
    public let connection: ConnectionID
    /// Where it comes from, without the port.
    public let address: String
    /// When it came.
    public let since: NIODeadline
    /// What it has sent, in bytes.
    public let fromSender: UInt64
    /// What the device has sent it, in bytes.
    public let fromDevice: UInt64
}

/// The devices that are passed through now, for those who ask what runs.
public final class RunningPassthroughs: Sendable {
    private struct Entry: Sendable {
        let id: ObjectIdentifier
        let name: String
        let device: NIOLoopBound<PassthroughDevice>

        func answer<Answer: Sendable>(_ question: @escaping @Sendable (PassthroughDevice) -> Answer) async -> Answer? {
            await self.device.eventLoop.answer(about: "virtual:\(self.name)") { [device] in question(device.value) }
        }
    }

    private let devices = Mutex<[Entry]>([])

    /// Starts without devices.
    public init() {}

    /// The devices by name; one after the other is asked on its event loop, within the patience of the caller.
    public func overviews() async -> [PassthroughOverview] {
        let all = self.devices.withLock { $0 }
        let current = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { $1 }).sorted { $0.key < $1.key }
        var overviews: [PassthroughOverview] = []
        for (_, entry) in current {
            if let overview = await entry.answer({ $0.overview }) { overviews.append(overview) }
        }
        return overviews
    }

    /// One device; nil when it does not run, or does not answer within the patience of the caller.
    public func overview(of name: String) async -> PassthroughOverview? {
        await self.entry(name)?.answer { $0.overview }
    }

    /// Ends splices of a device.
    /// - Parameters:
    ///   - reason: why, for the log and the event.
    ///   - isMeant: which.
    /// - Returns: those that are ended; nil when the device does not run, or does not answer within the patience of the caller.
    public func disconnect(
        from name: String, reason: String, where isMeant: @escaping @Sendable (SpliceOverview) -> Bool
    ) async -> [SpliceOverview]? {
        await self.entry(name)?.answer { $0.disconnect(reason: reason, where: isMeant) }
    }

    /// Whether a device of this name runs.
    public func contains(_ name: String) -> Bool { self.entry(name) != nil }

    private func entry(_ name: String) -> Entry? { self.devices.withLock { $0.last { $0.name == name } } }

    /// Adds a device; call it on the device's event loop.
    func add(_ device: PassthroughDevice) {
        let bound = NIOLoopBound(device, eventLoop: device.eventLoop)
        self.devices.withLock { $0.append(Entry(id: ObjectIdentifier(device), name: device.name, device: bound)) }
    }

    /// Removes a device.
    func remove(_ device: PassthroughDevice) {
        let id = ObjectIdentifier(device)
        self.devices.withLock { $0.removeAll { $0.id == id } }
    }
}
