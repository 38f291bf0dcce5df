import CastWire
import GatewayCore
import NIOCore

/// Requests that the device has not answered yet, so that none stays without an answer when the device is lost.
///
/// Those in namespaces of apps' own are not among them: what a request is there, and whether it is answered at all, is
/// for the app to say.
struct PendingRequests {
    private struct Key: Hashable {
        let sender: SenderEnd
        let namespace: Namespace
        let destination: EndpointID
        let requestID: RequestID
    }

    /// A request, as far as it is needed to answer it.
    struct Request {
        /// The request; without its payload unless the answer follows from it.
        let message: CastMessage
        let summary: PayloadSummary
        fileprivate let order: Int
    }

    /// A request that is not waited for any more, and the sender's end that sent it.
    typealias Taken = (sender: SenderEnd, request: Request)

    /// More than a device is ever asked at once.
    private static let limit = 512
    /// More than one sender ever asks the platform at once.
    private static let share = 64

    private var platform: [Key: Request] = [:]
    /// An app may leave requests unanswered, so the oldest of these are forgotten when there are too many.
    private var apps: [Key: Request] = [:]
    private var order = 0

    var count: Int { self.platform.count + self.apps.count }

    /// Notes a request.
    /// - Returns: a request to the platform that is not waited for any more, since this one takes its place: a platform
    ///   that leaves requests unanswered must not shut out senders. Its sender is to be answered.
    mutating func sent(_ message: CastMessage, _ summary: PayloadSummary, from sender: SenderEnd) -> Taken? {
        guard let requestID = summary.requestID, requestID != .spontaneous, summary.type != nil else { return nil }
        self.order += 1
        let key = Key(
            sender: sender, namespace: message.namespace, destination: message.destination, requestID: requestID)
        // The payload would keep alive all that came in together with it.
        let isNeeded = message.isToPlatform && summary.type == "GET_APP_AVAILABILITY"
        var message = isNeeded ? message.detached : message
        if !isNeeded {
            message.payload = .text(ByteBuffer())
            message.unknownFields = nil
        }
        let request = Request(message: message, summary: summary, order: self.order)
        if message.isToPlatform {
            let taken = self.makeRoom(for: key)
            self.platform[key] = request
            return taken
        }
        if self.apps.count >= Self.limit { self.forgetOldestOfApps() }
        self.apps[key] = request
        return nil
    }

    /// A sender's channel that has its share loses its own oldest; when there are too many in all, the oldest of all goes.
    private mutating func makeRoom(for key: Key) -> Taken? {
        guard self.platform.count >= Self.share, self.platform[key] == nil else { return nil }
        let own = self.platform.lazy.filter {
            $0.key.sender.connection == key.sender.connection && $0.key.sender.relay == key.sender.relay
        }
        let oldest: (key: Key, value: Request)?
        if own.count >= Self.share {
            oldest = own.min { $0.value.order < $1.value.order }
        } else if self.platform.count >= Self.limit {
            oldest = self.platform.min { $0.value.order < $1.value.order }
        } else {
            oldest = nil
        }
        guard let oldest else { return nil }
        self.platform[oldest.key] = nil
        return (oldest.key.sender, oldest.value)
    }

    /// True if a sender's channel waits for an answer of the platform.
    func platformWaits(for connection: ConnectionID, of relay: ObjectIdentifier) -> Bool {
        self.platform.keys.contains { $0.sender.connection == connection && $0.sender.relay == relay }
    }

    mutating func answered(_ message: CastMessage, to sender: SenderEnd) {
        guard self.count > 0, let requestID = PayloadSummary(peeking: message.payload).requestID else { return }
        let key = Key(sender: sender, namespace: message.namespace, destination: message.source, requestID: requestID)
        if message.source == .platformReceiver { self.platform[key] = nil } else { self.apps[key] = nil }
    }

    /// The device answered to all, as some do: every end that waits for this id has received it.
    mutating func answeredToAll(_ message: CastMessage) {
        guard self.count > 0, let requestID = PayloadSummary(peeking: message.payload).requestID,
            requestID != .spontaneous
        else { return }
        self.keep {
            $0.namespace != message.namespace || $0.requestID != requestID || $0.destination != message.source
        }
    }

    /// The sender's end has no virtual connection any more.
    mutating func forget(_ sender: SenderEnd) {
        self.keep { $0.sender != sender }
    }

    /// The sender's end has no virtual connection to this end any more.
    mutating func forget(_ sender: SenderEnd, at destination: EndpointID) {
        self.keep { $0.sender != sender || $0.destination != destination }
    }

    mutating func forget(_ connection: ConnectionID, of relay: ObjectIdentifier) {
        self.keep { $0.sender.connection != connection || $0.sender.relay != relay }
    }

    /// Takes out what waits for one relay's senders, oldest first.
    mutating func takeAll(of relay: ObjectIdentifier) -> [Taken] {
        let taken = self.all.filter { $0.sender.relay == relay }
        self.keep { $0.sender.relay != relay }
        return taken
    }

    /// Takes out what an end of a sender waits for from the platform, oldest first.
    mutating func takePlatformRequests(of sender: SenderEnd) -> [Request] {
        let taken = self.platform.filter { $0.key.sender == sender }
        for key in taken.keys { self.platform[key] = nil }
        return taken.values.sorted { $0.order < $1.order }
    }

    /// Takes out everything that waits, oldest first.
    mutating func takeAll() -> [Taken] {
        defer {
            self.platform = [:]
            self.apps = [:]
        }
        return self.all
    }

    private var all: [Taken] {
        (Array(self.platform) + Array(self.apps)).sorted { $0.value.order < $1.value.order }
            .map { ($0.key.sender, $0.value) }
    }

    private mutating func keep(_ isKept: (Key) -> Bool) {
        if !self.platform.isEmpty { self.platform = self.platform.filter { isKept($0.key) } }
        if !self.apps.isEmpty { self.apps = self.apps.filter { isKept($0.key) } }
    }

    /// Half of them at once, so that the search is paid for by as many requests.
    private mutating func forgetOldestOfApps() {
        let orders = self.apps.values.map(\.order).sorted()
        let middle = orders[orders.count / 2]
        self.apps = self.apps.filter { $0.value.order >= middle }
    }
}
