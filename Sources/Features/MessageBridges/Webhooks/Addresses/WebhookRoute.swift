import GatewayConfig
import NIOCore

/// To which address a webhook's connections go: what its name resolved to, which of those addresses is connected to, and which
/// connections are still in use. A state machine; what it says is done by ``WebhookClient``.
///
/// An address is looked up anew at most once a minute, or after every address failed. Until a new look-up has ended the address that
/// was judged before is used, for another minute at most; when the look-up fails, for as long as it does. When no look-up gave an
/// address, attempts fail for a second with the reason of the last one, so that many of them are not as many look-ups.
struct WebhookRoute {
    /// An address to which connections go. Two with one address differ, when another was used between them.
    struct Pin: Sendable, Hashable {
        var id: Int
        var address: IPAddress
    }

    /// The next step of an attempt that needs an address.
    enum Answer: Equatable {
        /// Connect to the address, and say so when that is over.
        case use(Pin)
        case wait
        case fail(WebhookFailure)
    }

    /// The lifetime of a look-up's result.
    static let lifetime = TimeAmount.seconds(60)
    /// The shortest time between two look-ups.
    static let pause = TimeAmount.seconds(1)

    private var pin: Pin?
    /// The addresses of the last look-up that may be used, in order.
    private var addresses: [IPAddress] = []
    /// The addresses to which no connection could be made.
    private var failed: Set<IPAddress> = []
    /// The time when the last look-up ended.
    private var lookedUp: NIODeadline?
    /// The reason the last look-up gave no address.
    private var failure: WebhookFailure?
    private var isLookingUp = false
    private var hasEnded = false
    private var pins = 0
    private var uses: [Int: Int] = [:]
    private var unused: [Int] = []

    /// An attempt needs an address.
    /// - Returns: what it does, and whether a look-up begins.
    mutating func need(now: NIODeadline) -> (answer: Answer, beginsLookUp: Bool) {
        guard !self.hasEnded else { return (.fail(.ended), false) }
        let age = self.lookedUp.map { now - $0 }
        if let age, age < Self.pause, self.pin == nil, !self.isLookingUp {
            if let failure { return (.fail(failure), false) }
            self.use(self.addresses.first)
        }
        let isOld = age.map { $0 >= Self.lifetime } ?? true
        let begins = !self.isLookingUp && (self.pin == nil || isOld)
        if begins { self.isLookingUp = true }
        guard let pin, let age, age < Self.lifetime + Self.lifetime else { return (.wait, begins) }
        self.uses[pin.id, default: 0] += 1
        return (.use(pin), begins)
    }

    /// A look-up has found addresses that may be used; an address that is in use and among them stays.
    mutating func found(_ addresses: [IPAddress], refusal: WebhookFailure, now: NIODeadline) {
        self.isLookingUp = false
        guard !self.hasEnded else { return }
        self.lookedUp = now
        self.addresses = addresses
        self.failed = []
        self.failure = addresses.isEmpty ? refusal : nil
        if let pin, addresses.contains(pin.address) { return }
        self.use(addresses.first)
    }

    /// A look-up has failed: what was found before stays.
    mutating func notFound(_ failure: WebhookFailure, now: NIODeadline) {
        self.isLookingUp = false
        self.lookedUp = now
        if self.pin == nil { self.failure = failure }
    }

    /// No connection could be made.
    /// - Returns: whether another address can be tried.
    mutating func couldNotConnect(_ pin: Pin) -> Bool {
        guard !self.hasEnded else { return false }
        guard self.pin == pin else { return self.pin != nil }
        self.failed.insert(pin.address)
        self.use(self.addresses.first { !self.failed.contains($0) })
        if self.pin == nil { self.failed = [] }
        return self.pin != nil
    }

    /// An attempt does not use an address any more.
    mutating func release(_ pin: Pin) {
        guard let count = self.uses[pin.id] else { return }
        self.uses[pin.id] = count > 1 ? count - 1 : nil
        if count == 1, self.pin != pin { self.unused.append(pin.id) }
    }

    mutating func end() {
        self.hasEnded = true
        self.use(nil)
    }

    /// The pins that are not used any more since this was called last; their connections can be closed.
    mutating func takeUnused() -> [Int] {
        defer { self.unused = [] }
        return self.unused
    }

    private mutating func use(_ address: IPAddress?) {
        if let pin, self.uses[pin.id] == nil { self.unused.append(pin.id) }
        self.pin = nil
        guard let address else { return }
        self.pins += 1
        self.pin = Pin(id: self.pins, address: address)
    }
}
