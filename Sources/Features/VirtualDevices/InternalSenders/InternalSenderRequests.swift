import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

/// The requests of an internal sender that wait for an answer, by number.
struct InternalSenderRequests {
    typealias Promise = EventLoopPromise<CastMessage.Payload?>

    private struct Request {
        let namespace: Namespace
        let local: EndpointID
        let promise: Promise
        let timeout: Scheduled<Void>
        let trace: CommandTrace?
    }

    /// The limit of open requests.
    static let limit = 256
    /// The number of ids a sender has before they are reused.
    private static let span = 1 << 20

    private var requests: [Int: Request] = [:]
    private let first: Int
    private var count = 0

    /// Broadcasts carry the number of the request that caused them, so each internal sender in the gateway has a range of
    /// its own, in the upper half of what receivers read, apart from numbers that a payload brings along.
    init(of connection: ConnectionID) {
        self.first = 1 << 30 + Int(connection.rawValue % 1023) * Self.span
    }

    var isEmpty: Bool { self.requests.isEmpty }
    var isFull: Bool { self.requests.count >= Self.limit }

    /// A number that no request waits under.
    mutating func nextNumber() -> Int {
        repeat { self.count = (self.count + 1) % Self.span } while self.requests[self.first + self.count] != nil
        return self.first + self.count
    }

    mutating func add(
        _ number: Int, namespace: Namespace, local: EndpointID, promise: Promise, timeout: Scheduled<Void>,
        trace: CommandTrace?
    ) {
        self.requests[number] = Request(
            namespace: namespace, local: local, promise: promise, timeout: timeout, trace: trace)
    }

    /// The command that a message answers, or was caused by as its number says.
    func trace(of message: CastMessage) -> CommandTrace? {
        guard !self.requests.isEmpty, let number = PayloadSummary(peeking: message.payload).requestID?.json.intValue,
            let request = self.requests[number], request.local == message.source,
            request.namespace == message.namespace
        else { return nil }
        return request.trace
    }

    /// Removes the request that a message answers; nil when none waits for it.
    mutating func take(answeredBy message: CastMessage) -> Promise? {
        self.request(answeredBy: message).flatMap { self.take($0) }
    }

    /// The number of the request that a message answers; nil when none waits for it.
    func request(answeredBy message: CastMessage) -> Int? {
        guard !self.requests.isEmpty,
            let number = PayloadSummary(peeking: message.payload).requestID?.json.intValue,
            let request = self.requests[number], request.namespace == message.namespace,
            request.local == message.source
        else { return nil }
        return number
    }

    /// Removes a request, whatever its outcome.
    @discardableResult
    mutating func take(_ number: Int) -> Promise? {
        guard let request = self.requests.removeValue(forKey: number) else { return nil }
        request.timeout.cancel()
        return request.promise
    }

    /// Removes the requests to one end; all of them when it is nil.
    mutating func takeAll(of local: EndpointID?) -> [Promise] {
        let numbers = self.requests.filter { local == nil || $0.value.local == local }.keys.sorted()
        return numbers.compactMap { self.take($0) }
    }
}
