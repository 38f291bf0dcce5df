import CastTransport
import CastWire
import NIOCore

/// The rights and counts of one address at one virtual device, over all its connections; kept while they come and go.
final class SenderAccount {
    /// CONNECT is kept while the virtual connection is open; Chromium's has 400 bytes.
    private static let maximumConnectLength = 2048
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

    /// True if another CONNECT may be kept: none is large, and there are only so many.
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

/// The accounts of the addresses that use one virtual device.
///
/// An account outlives its connections, so that a sender does not get a full budget by connecting again. It is dropped when
/// its budgets are full again, or when there are too many without connections; both are checked when an account is added.
struct SenderAccounts {
    /// Accounts without connections that are kept at most.
    private static let maximumIdle = 4096

    private var messagesPerSecond: Int?
    private let eventLoop: any EventLoop
    private var accounts: [AddressBlock: SenderAccount] = [:]
    private var nextPurge = 256

    init(messagesPerSecond: Int?, eventLoop: any EventLoop) {
        self.messagesPerSecond = messagesPerSecond
        self.eventLoop = eventLoop
    }

    var count: Int { self.accounts.count }

    /// Changes what addresses may send, those too whose account is open.
    mutating func limit(messagesPerSecond: Int?) {
        guard messagesPerSecond != self.messagesPerSecond else { return }
        self.messagesPerSecond = messagesPerSecond
        for account in self.accounts.values { account.budget.limit(messagesPerSecond: messagesPerSecond) }
    }

    /// The account of an address, for another connection.
    /// - Parameter onThrottled: called every time one of its connections has to wait.
    mutating func open(
        _ block: AddressBlock, onThrottled: @escaping (_ block: AddressBlock) -> Void
    ) -> SenderAccount {
        let account = self.accounts[block] ?? self.make(block, onThrottled)
        account.connections += 1
        return account
    }

    mutating func close(_ account: SenderAccount) {
        account.connections -= 1
    }

    private mutating func make(
        _ block: AddressBlock, _ onThrottled: @escaping (_ block: AddressBlock) -> Void
    ) -> SenderAccount {
        if self.accounts.count >= self.nextPurge {
            let now = self.eventLoop.now
            self.accounts = self.accounts.filter { !$0.value.isIdle(at: now) }
            if self.accounts.count >= Self.maximumIdle {
                self.accounts = self.accounts.filter { $0.value.connections > 0 }
            }
            self.nextPurge = max(256, self.accounts.count * 2)
        }
        let account = SenderAccount(
            block: block, messagesPerSecond: self.messagesPerSecond, eventLoop: self.eventLoop)
        account.budget.onThrottled = { onThrottled(block) }
        self.accounts[block] = account
        return account
    }
}
