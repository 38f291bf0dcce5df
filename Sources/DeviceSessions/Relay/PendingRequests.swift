import CastWire
import GatewayCore

/// Requests that the device has not answered yet, so that none stays without an answer when the device is lost.
///
/// Those in namespaces of apps' own are not among them: what a request is there, and whether it is answered at all, is
/// the app's business.
struct PendingRequests {
    struct Key: Hashable {
        let north: SenderIDs.North
        let namespace: Namespace
        let destination: EndpointID
        let requestID: RequestID
    }

    /// A request, as far as it is needed to answer it.
    struct Request {
        /// The request; without its payload when an app was asked.
        let message: CastMessage
        let summary: PayloadSummary
        fileprivate let order: Int
    }

    /// More than a device is ever asked at once; beyond it requests to the platform are refused, so that none is
    /// forgotten.
    private static let limit = 512

    private var platform: [Key: Request] = [:]
    /// An app may leave requests unanswered, so the oldest of these are forgotten when there are too many.
    private var apps: [Key: Request] = [:]
    private var order = 0

    /// How many wait.
    var count: Int { self.platform.count + self.apps.count }

    /// False when another request to the platform could not be noted.
    var hasRoom: Bool { self.platform.count < Self.limit }

    mutating func sent(_ message: CastMessage, _ summary: PayloadSummary, from north: SenderIDs.North) {
        guard let requestID = summary.requestID, requestID != .spontaneous, summary.type != nil else { return }
        self.order += 1
        let key = Key(
            north: north, namespace: message.namespace, destination: message.destination, requestID: requestID)
        if message.isToPlatform {
            self.platform[key] = Request(message: message, summary: summary, order: self.order)
            return
        }
        if self.apps.count >= Self.limit { self.forgetOldestOfApps() }
        // The payload would keep alive all that came in together with it.
        var message = message
        message.payload = .text("")
        self.apps[key] = Request(message: message, summary: summary, order: self.order)
    }

    /// The device answered.
    mutating func answered(_ message: CastMessage, to north: SenderIDs.North) {
        guard self.count > 0, let requestID = PayloadSummary(peeking: message.payload).requestID else { return }
        let key = Key(north: north, namespace: message.namespace, destination: message.source, requestID: requestID)
        if message.source == .platformReceiver { self.platform[key] = nil } else { self.apps[key] = nil }
    }

    /// The device answered to all, as some do: whoever waits for this id has heard it.
    mutating func answeredToAll(_ message: CastMessage) {
        guard self.count > 0, let requestID = PayloadSummary(peeking: message.payload).requestID,
            requestID != .spontaneous
        else { return }
        self.keep {
            $0.namespace != message.namespace || $0.requestID != requestID || $0.destination != message.source
        }
    }

    /// The sender's end has no virtual connection any more.
    mutating func forget(_ north: SenderIDs.North) {
        self.keep { $0.north != north }
    }

    /// The sender's end has no virtual connection to this end any more.
    mutating func forget(_ north: SenderIDs.North, at destination: EndpointID) {
        self.keep { $0.north != north || $0.destination != destination }
    }

    /// The sender's channel is gone.
    mutating func forget(_ connection: ConnectionID, of relay: ObjectIdentifier) {
        self.keep { $0.north.connection != connection || $0.north.relay != relay }
    }

    /// Takes out what waits for one relay's senders, oldest first.
    mutating func takeAll(of relay: ObjectIdentifier) -> [(north: SenderIDs.North, request: Request)] {
        let taken = self.all.filter { $0.north.relay == relay }
        self.keep { $0.north.relay != relay }
        return taken
    }

    /// Takes out what an end of a sender waits for from the platform, oldest first.
    mutating func takePlatformRequests(of north: SenderIDs.North) -> [Request] {
        let taken = self.platform.filter { $0.key.north == north }
        for key in taken.keys { self.platform[key] = nil }
        return taken.values.sorted { $0.order < $1.order }
    }

    /// Takes out everything that waits, oldest first.
    mutating func takeAll() -> [(north: SenderIDs.North, request: Request)] {
        defer {
            self.platform = [:]
            self.apps = [:]
        }
        return self.all
    }

    private var all: [(north: SenderIDs.North, request: Request)] {
        (Array(self.platform) + Array(self.apps)).sorted { $0.value.order < $1.value.order }
            .map { ($0.key.north, $0.value) }
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
