import CastWire
import GatewayCore
import NIOCore

/// The requests of a sender without a socket that wait for an answer, by number.
struct DoorRequests {
    typealias Promise = EventLoopPromise<CastMessage.Payload?>

    private struct Request {
        let namespace: Namespace
        let local: EndpointID
        let promise: Promise
        let timeout: Scheduled<Void>
    }

    /// How many may wait.
    static let limit = 256
    /// Numbers of one sender, before they are given anew.
    private static let span = 1 << 20

    private var requests: [Int: Request] = [:]
    private let first: Int
    private var count = 0

    /// Answers to all carry numbers too, so no two senders in the gateway count alike: each has a range of its own in the
    /// upper half of what receivers read, out of the way of numbers that a payload brings along.
    init(of connection: ConnectionID) {
        self.first = 1 << 30 + Int(connection.rawValue % 1023) * Self.span
    }

    var isEmpty: Bool { self.requests.isEmpty }
    var isFull: Bool { self.requests.count >= Self.limit }

    /// A number that nothing waits for.
    mutating func nextNumber() -> Int {
        repeat { self.count = (self.count + 1) % Self.span } while self.requests[self.first + self.count] != nil
        return self.first + self.count
    }

    mutating func add(
        _ number: Int, namespace: Namespace, local: EndpointID, promise: Promise, timeout: Scheduled<Void>
    ) {
        self.requests[number] = Request(namespace: namespace, local: local, promise: promise, timeout: timeout)
    }

    /// Takes out what a message answers; nil when nothing waits for it.
    mutating func take(answeredBy message: CastMessage) -> Promise? {
        self.request(answeredBy: message).flatMap { self.take($0) }
    }

    /// The number of the request that a message answers; nil when nothing waits for it.
    func request(answeredBy message: CastMessage) -> Int? {
        guard !self.requests.isEmpty,
            let number = PayloadSummary(peeking: message.payload).requestID?.json.intValue,
            let request = self.requests[number], request.namespace == message.namespace,
            request.local == message.source
        else { return nil }
        return number
    }

    /// Takes out a request, whatever became of it.
    @discardableResult
    mutating func take(_ number: Int) -> Promise? {
        guard let request = self.requests.removeValue(forKey: number) else { return nil }
        request.timeout.cancel()
        return request.promise
    }

    /// Takes out what waits for one end; everything, when it is nil.
    mutating func takeAll(of local: EndpointID?) -> [Promise] {
        let numbers = self.requests.filter { local == nil || $0.value.local == local }.keys.sorted()
        return numbers.compactMap { self.take($0) }
    }
}
