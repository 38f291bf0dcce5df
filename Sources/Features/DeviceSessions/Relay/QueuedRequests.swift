import CastWire
import GatewayCore
import NIOCore

/// Requests to the platform of a device that is out of reach, which wait for it to come online rather than being answered in
/// its place. Bounded in number, in all and for each sender, and in length.
struct QueuedRequests {
    /// A request, the sender's end that sent it, and until when it waits.
    struct Request {
        let message: CastMessage
        let sender: SenderEnd
        let until: NIODeadline
    }

    /// The limit of a request's length; anything longer is answered at once.
    private static let maximumLength = 4096
    /// More than a device is ever asked at once.
    private static let limit = 256
    /// More than one sender's channel ever asks at once: a question for each of its apps.
    private static let share = 32

    /// In the order in which they came.
    private var all: [Request] = []

    var count: Int { self.all.count }
    /// The time when the first of them has waited for long enough; nil when none waits.
    var nextDeadline: NIODeadline? { self.all.lazy.map(\.until).min() }

    /// Keeps a request until the device is there, or until this moment.
    /// - Returns: false when too much waits already: the request is to be answered at once.
    mutating func add(_ message: CastMessage, for sender: SenderEnd, until: NIODeadline) -> Bool {
        guard message.payload.bytes.readableBytes <= Self.maximumLength, self.all.count < Self.limit else {
            return false
        }
        let own = self.all.count { $0.sender.connection == sender.connection && $0.sender.relay == sender.relay }
        guard own < Self.share else { return false }
        self.all.append(Request(message: message.detached, sender: sender, until: until))
        return true
    }

    /// Takes out what has waited for long enough.
    mutating func takeExpired(at now: NIODeadline) -> [Request] {
        let expired = self.all.filter { $0.until <= now }
        if !expired.isEmpty { self.all.removeAll { $0.until <= now } }
        return expired
    }

    mutating func takeAll() -> [Request] {
        defer { self.all = [] }
        return self.all
    }

    mutating func takeAll(of relay: ObjectIdentifier) -> [Request] {
        let taken = self.all.filter { $0.sender.relay == relay }
        if !taken.isEmpty { self.forget { $0.relay == relay } }
        return taken
    }

    mutating func forget(where isGone: (SenderEnd) -> Bool) {
        if !self.all.isEmpty { self.all.removeAll { isGone($0.sender) } }
    }
}
