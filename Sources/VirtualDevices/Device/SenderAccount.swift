import CastTransport
import CastWire
import NIOCore

/// What one address may do at one virtual device, over all its connections; kept while they come and go.
final class SenderAccount {
    /// CONNECT is kept while the virtual connection is open; Chromium's has 400 bytes.
    private static let maximumConnectLength = 4096
    /// Senders' ids are at most some tens of bytes; transport ids are UUIDs.
    private static let maximumIDLength = 256
    /// Virtual connections that an address may have, be it with few connections…
    private static let maximumVirtualConnections = 1024
    /// …or as many for each of them, since a thousand senders may stand behind one address.
    private static let virtualConnectionsPerConnection = 16

    let block: AddressBlock
    let budget: InboundBudget
    private var launches: TokenBucket
    private var challenges: TokenBucket
    /// Connections that are open.
    var connections = 0
    /// Virtual connections that are open on them.
    var virtualConnections = 0

    init(block: AddressBlock, messagesPerSecond: Int?, eventLoop: any EventLoop) {
        self.block = block
        self.budget = InboundBudget(messagesPerSecond: messagesPerSecond, eventLoop: eventLoop)
        self.launches = TokenBucket(perSecond: 5, burst: 20, at: eventLoop.now)
        // A signature costs a thousand times what a message does.
        self.challenges = TokenBucket(perSecond: 20, burst: 200, at: eventLoop.now)
    }

    func mayLaunch(at now: NIODeadline) -> Bool { self.launches.take(at: now) }

    func mayChallenge(at now: NIODeadline) -> Bool { self.challenges.take(at: now) }

    /// Whether another CONNECT may be kept: none is large, and there are only so many.
    func mayKeep(_ connect: CastMessage, isNew: Bool) -> Bool {
        connect.serializedLength <= Self.maximumConnectLength
            && connect.source.rawValue.utf8.count <= Self.maximumIDLength
            && connect.destination.rawValue.utf8.count <= Self.maximumIDLength
            && (!isNew || self.virtualConnections < self.virtualConnectionLimit)
    }

    private var virtualConnectionLimit: Int {
        max(Self.maximumVirtualConnections, self.connections * Self.virtualConnectionsPerConnection)
    }

    /// True when forgetting the account changes nothing.
    func isIdle(at now: NIODeadline) -> Bool {
        self.connections == 0 && self.budget.isUntouched(at: now) && self.launches.isFull(at: now)
            && self.challenges.isFull(at: now)
    }
}
