public import CastWire
public import NIOCore

/// One sender's requests on one channel that wait for their answers.
///
/// Holds no channel and no timer: instants are passed in, and its owner calls ``expire(at:)`` at ``nextDeadline``. A reply
/// belongs to a request when number, namespace and the answering end agree. A request replaces a waiting one of the same
/// ``Kind`` (protocol notes, 7). An exchange has no number: any message of its end in its namespace answers it. The requests
/// lie in one list, which is searched: more than a few never wait at once. An owner that lets callers ask checks ``hasRoom``.
public struct RequestTracker<Ticket> {
    /// Requests of which only the newest counts, such as seeks: what is asked for, and of whom.
    public struct Kind: Hashable, Sendable {
        /// What is asked for, such as `SEEK`.
        public let name: String
        /// Of whom, such as a transport or a member of a group.
        public let target: String

        /// Makes a kind.
        public init(_ name: String, target: String = "") {
            self.name = name
            self.target = target
        }
    }

    /// A request that came to its end.
    public struct Ended {
        /// What the owner gave.
        public let ticket: Ticket
        /// What became of it.
        public let outcome: RequestOutcome
    }

    fileprivate struct Waiting {
        /// Nil for an exchange.
        let id: RequestID?
        let ticket: Ticket
        let namespace: Namespace
        let endpoint: EndpointID
        let kind: Kind?
        var deadline: NIODeadline
        var isExtended = false
    }

    /// More than one sender asks at once; beyond it requests are refused.
    public static var limit: Int { 256 }

    /// Gives the numbers.
    public var counter: RequestCounter
    private var waiting: [Waiting] = []

    /// Starts with nothing.
    /// - Parameter counter: shared by everything that asks on the same channel.
    public init(counter: RequestCounter) {
        self.counter = counter
    }

    /// How many wait.
    public var count: Int { self.waiting.count }

    /// False when another request would be one too many.
    public var hasRoom: Bool { self.waiting.count < Self.limit }

    /// When to call ``expire(at:)``; nil while nothing waits.
    public var nextDeadline: NIODeadline? { self.waiting.map(\.deadline).min() }

    /// What waits of a kind; nil when nothing does.
    public func ticket(of kind: Kind) -> Ticket? { self.waiting.first { $0.kind == kind }?.ticket }

    /// What waits, oldest first.
    public var tickets: [Ticket] { self.waiting.map(\.ticket) }

    /// Notes a request that is about to be sent.
    ///
    /// - Parameters:
    ///   - ticket: What the owner knows it by.
    ///   - namespace: Where it is asked and answered.
    ///   - endpoint: Who answers.
    ///   - kind: Requests of the same kind that wait are replaced; nil replaces none.
    ///   - given: A number that the caller chose; nil takes the next one.
    ///   - timeout: How long the answer may take.
    /// - Returns: its number, and what it replaced.
    public mutating func begin(
        _ ticket: Ticket, in namespace: Namespace, at endpoint: EndpointID, kind: Kind? = nil,
        id given: RequestID? = nil, timeout: Duration, now: NIODeadline
    ) -> (id: RequestID, replaced: [Ended]) {
        var replaced: [Ended] = []
        if let kind { replaced = self.take(.aborted(.replaced)) { $0.kind == kind } }
        let id = given ?? self.counter.next()
        self.waiting.append(
            Waiting(
                id: id, ticket: ticket, namespace: namespace, endpoint: endpoint, kind: kind,
                deadline: now + TimeAmount(timeout)))
        return (id, replaced)
    }

    /// Notes a message that is about to be sent, and that any message of the end answers in the namespace.
    public mutating func beginExchange(
        _ ticket: Ticket, in namespace: Namespace, at endpoint: EndpointID, timeout: Duration, now: NIODeadline
    ) {
        self.waiting.append(
            Waiting(
                id: nil, ticket: ticket, namespace: namespace, endpoint: endpoint, kind: nil,
                deadline: now + TimeAmount(timeout)))
    }

    /// Ends the exchanges that a message answers.
    /// - Returns: what the owner knows them by, oldest first.
    public mutating func receivedExchange(in namespace: Namespace, from endpoint: EndpointID) -> [Ticket] {
        self.take(.completed(JSONObject())) {
            $0.id == nil && $0.namespace == namespace && $0.endpoint == endpoint
        }.map(\.ticket)
    }

    /// The requests that an end has not answered, oldest first; the number of an exchange is nil.
    func waiting(at endpoint: EndpointID) -> [(id: RequestID?, namespace: Namespace, ticket: Ticket)] {
        self.waiting.filter { $0.endpoint == endpoint }.map { ($0.id, $0.namespace, $0.ticket) }
    }

    /// What the owner knows a request by that waits.
    public func ticket(of id: RequestID) -> Ticket? { self.waiting.first { $0.id == id }?.ticket }

    /// What the owner knows a request by that a message of an end would answer.
    public func ticket(of id: RequestID, in namespace: Namespace, from endpoint: EndpointID) -> Ticket? {
        self.waiting.first { $0.id == id && $0.namespace == namespace && $0.endpoint == endpoint }?.ticket
    }

    /// Takes a message that may be an answer.
    ///
    /// - Parameters:
    ///   - reply: The message's payload.
    ///   - namespace: Where it came.
    ///   - endpoint: Who sent it.
    /// - Returns: the request that it answers; nil for an answer that came too late, or none.
    public mutating func received(_ reply: JSONObject, in namespace: Namespace, from endpoint: EndpointID) -> Ended? {
        guard let id = Self.requestID(of: reply), id != .spontaneous,
            let index = self.waiting.firstIndex(where: {
                $0.id == id && $0.namespace == namespace && $0.endpoint == endpoint
            })
        else { return nil }
        let request = self.waiting.remove(at: index)
        return Ended(ticket: request.ticket, outcome: Self.outcome(of: reply))
    }

    /// Ends the requests that a message answers without their numbers: it shows what was asked for.
    /// - Returns: what ended, oldest first.
    public mutating func complete(_ reply: JSONObject, where isMeant: (Ticket) -> Bool) -> [Ended] {
        self.take(.completed(reply)) { isMeant($0.ticket) }
    }

    /// Gives a request more time, since the device asks its user: LAUNCH_STATUS (protocol notes, 5.4). A request gets it once:
    /// a device that asks again and again would hold it for ever.
    /// - Returns: false when no request has this number.
    @discardableResult
    public mutating func extend(_ id: RequestID, to deadline: NIODeadline) -> Bool {
        guard let index = self.waiting.firstIndex(where: { $0.id == id }) else { return false }
        guard !self.waiting[index].isExtended else { return true }
        self.waiting[index].isExtended = true
        self.waiting[index].deadline = max(self.waiting[index].deadline, deadline)
        return true
    }

    /// Stops waiting for some requests; the device may carry them out all the same.
    public mutating func cancel(where isMeant: (Ticket) -> Bool) -> [Ended] {
        self.take(.aborted(.cancelled)) { isMeant($0.ticket) }
    }

    /// Ends what waited too long.
    public mutating func expire(at now: NIODeadline) -> [Ended] {
        self.take(.timedOut) { $0.deadline <= now }
    }

    /// Ends everything that waits: the channel, or the answering end, is gone.
    /// - Parameter endpoint: who is gone; nil means the channel.
    public mutating func failAll(_ error: RequestError, at endpoint: EndpointID? = nil) -> [Ended] {
        self.take(.failed(error)) { endpoint == nil || $0.endpoint == endpoint }
    }

    private mutating func take(_ outcome: RequestOutcome, where isMeant: (Waiting) -> Bool) -> [Ended] {
        let taken = self.waiting.filter(isMeant)
        guard !taken.isEmpty else { return [] }
        self.waiting.removeAll(where: isMeant)
        return taken.map { Ended(ticket: $0.ticket, outcome: outcome) }
    }

    /// Some receivers give the number back as text.
    private static func requestID(of reply: JSONObject) -> RequestID? {
        reply["requestId"]?.lenientWhole.map { RequestID($0) }
    }

    private static func outcome(of reply: JSONObject) -> RequestOutcome {
        guard let error = RequestError(reply: reply) else { return .completed(reply) }
        return error.code == .replaced ? .aborted(.replaced) : .failed(error)
    }
}

extension RequestTracker: Sendable where Ticket: Sendable {}
extension RequestTracker.Waiting: Sendable where Ticket: Sendable {}
extension RequestTracker.Ended: Sendable where Ticket: Sendable {}

extension JSONValue {
    /// A whole number, also spelled as text.
    var lenientWhole: Int? { self.intValue ?? self.stringValue.flatMap { Int($0) } }
}
