import CastWire
import GatewayConfig
import NIOCore

@testable import BuiltInReceiver

/// A player with a clock that is moved by hand, and what it has said.
struct PlayerBench {
    var player: SimulatedPlayer
    private(set) var now: NIODeadline = .uptimeNanoseconds(1_000_000_000)
    private(set) var actions: [SimulatedPlayer.Action] = []
    private var nextID = 1

    static let sender: EndpointID = "sender-0"

    init(
        _ options: SimulationOptions = SimulationOptions(), seed: UInt64 = 0,
        queue: VirtualQueueConfiguration = VirtualQueueConfiguration(), takesAddressesOnly: Bool = false
    ) {
        self.player = SimulatedPlayer(
            options: options, shuffleSeed: seed, queue: queue, takesAddressesOnly: takesAddressesOnly)
    }

    /// What the provider of the queue is asked.
    var questions: [(question: QueueQuestion, token: Int)] {
        self.actions.compactMap { if case .ask(let question, let token) = $0 { (question, token) } else { nil } }
    }

    /// The provider answers; nil when it does not in time.
    mutating func provide(_ token: Int, _ answer: JSONObject?) {
        self.actions = self.player.provided(token, answer, at: self.now)
    }

    /// Sends a request with a fresh number and gives the answer, if one came at once.
    @discardableResult
    mutating func send(
        _ type: String, _ fields: JSONObject = [:], from sender: EndpointID = Self.sender
    ) -> JSONObject? {
        var payload: JSONObject = ["type": .string(type), "requestId": .number(self.nextID)]
        self.nextID += 1
        for member in fields.members { payload[member.name] = member.value }
        return self.sendRaw(payload, from: sender)
    }

    /// Sends a request about what is loaded.
    @discardableResult
    mutating func command(_ type: String, _ fields: JSONObject = [:]) -> JSONObject? {
        var fields = fields
        fields["mediaSessionId"] = .number(self.player.session?.id ?? -1)
        return self.send(type, fields)
    }

    @discardableResult
    mutating func sendRaw(_ payload: JSONObject, from sender: EndpointID = Self.sender) -> JSONObject? {
        self.actions = self.player.handle(payload, from: sender, at: self.now)
        return self.replies(to: sender).last
    }

    /// Lets time pass in one step.
    mutating func pass(_ seconds: Double) {
        self.now = self.now + .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
        self.actions = self.player.timerFired(at: self.now)
    }

    /// Loads and waits until it plays.
    mutating func play(_ fields: JSONObject) {
        self.send("LOAD", fields)
        self.pass(0.3)
    }

    mutating func playQueue(_ count: Int, _ fields: JSONObject = [:], item: JSONObject = [:]) {
        var fields = fields
        fields["items"] = .array((1...count).map { .object(Self.item("i\($0)", item)) })
        self.send("QUEUE_LOAD", fields)
        self.pass(0.3)
    }

    static func media(_ id: String, _ fields: JSONObject = [:]) -> JSONValue {
        var media: JSONObject = ["contentId": .string(id), "contentType": "video/mp4", "streamType": "BUFFERED"]
        for member in fields.members { media[member.name] = member.value }
        return .object(media)
    }

    static func item(_ id: String, _ fields: JSONObject = [:], media: JSONObject = ["duration": 100]) -> JSONObject {
        var item: JSONObject = ["media": Self.media(id, media)]
        for member in fields.members { item[member.name] = member.value }
        return item
    }

    func replies(to sender: EndpointID = Self.sender) -> [JSONObject] {
        self.actions.compactMap { if case .reply(let payload, sender) = $0 { payload } else { nil } }
    }

    var broadcasts: [JSONObject] {
        self.actions.compactMap { if case .broadcast(let payload) = $0 { payload } else { nil } }
    }

    var statuses: [MediaStatus] { self.broadcasts.filter { $0.string("type") == "MEDIA_STATUS" }.compactMap(\.status) }

    var texts: [String] {
        self.actions.compactMap { if case .statusText(let text) = $0 { text } else { nil } }
    }

    /// The states in the broadcasts, an idle one with its reason or LOADING behind a stroke.
    var states: [String] { self.statuses.map(\.label) }

    /// The status as a sender would ask for it now.
    mutating func status() -> MediaStatus? {
        self.send("GET_STATUS")?.status
    }
}

extension JSONObject {
    var status: MediaStatus? { self.array("status")?.first?.objectValue.map(MediaStatus.init(json:)) }
    var type: String? { self.string("type") }
    var reason: String? { self.string("reason") }
}

extension MediaStatus {
    var label: String {
        [self.playerState?.rawValue, self.idleReason?.rawValue, self.extendedStatus?.playerState?.rawValue]
            .compactMap { $0 }.joined(separator: "/")
    }
}
