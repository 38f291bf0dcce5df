import CastTransport
import NIOCore

/// The accounts of the addresses that use one virtual device. Those that are gone are forgotten once nothing is held
/// against them, or when there are too many.
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
    /// - Parameter onThrottled: told every time one of its connections has to wait.
    mutating func open(
        _ block: AddressBlock, onThrottled: @escaping (_ block: AddressBlock) -> Void
    ) -> SenderAccount {
        let account = self.accounts[block] ?? self.make(block, onThrottled)
        account.connections += 1
        return account
    }

    /// A connection is gone.
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
