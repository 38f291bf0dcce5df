import CastWire
import NIOCore

@testable import CastClient

/// A media client's state with a clock that is moved by hand, and what it has done.
struct MediaBench {
    private(set) var state: MediaClientState
    private(set) var now: NIODeadline = .uptimeNanoseconds(1_000_000_000)
    private(set) var actions: [MediaClientState.Action] = [] {
        didSet { self.unanswered = self.lastSent ?? self.unanswered }
    }
    private var unanswered: JSONObject?
    private var nextTicket = 1

    init(_ options: MediaClientOptions = MediaClientOptions(), loads: (any LoadCompletion)? = nil) {
        self.state = MediaClientState(counter: RequestCounter(), options: options, loads: loads)
    }

    /// A client whose app plays a medium.
    static func playing(
        _ status: JSONObject = [:], options: MediaClientOptions = MediaClientOptions()
    ) -> MediaBench {
        var bench = MediaBench(options)
        bench.attach()
        bench.answer(["type": "MEDIA_STATUS", "status": [.object(Self.status(status))]])
        return bench
    }

    static func app(
        _ id: AppID = "CC1AD845", session: String = "s-1", transport: EndpointID = "t-1",
        namespaces: [Namespace] = [.media]
    ) -> ReceiverApplication {
        ReceiverApplication(
            appID: id, displayName: "App", sessionID: session, transportID: transport, namespaces: namespaces)
    }

    /// A status of a medium of 600 seconds that plays, with other fields as given.
    static func status(_ fields: JSONObject = [:]) -> JSONObject {
        var status: JSONObject = [
            "mediaSessionId": 1, "playerState": "PLAYING", "currentTime": 10, "playbackRate": 1,
            "supportedMediaCommands": 274447, "currentItemId": 1,
            "media": ["contentId": "one", "contentType": "video/mp4", "streamType": "BUFFERED", "duration": 600],
        ]
        for member in fields.members { status[member.name] = member.value == .null ? JSONValue?.none : member.value }
        return status
    }

    mutating func attach(_ app: ReceiverApplication = Self.app()) {
        self.actions = self.state.attached(app, at: self.now)
    }

    mutating func suspend() {
        self.actions = self.state.suspended(at: self.now)
    }

    mutating func detach() {
        self.actions = self.state.detached(at: self.now)
    }

    /// Performs a command; gives its ticket.
    @discardableResult
    mutating func perform(_ command: MediaCommand) -> Int {
        defer { self.nextTicket += 1 }
        self.actions = self.state.perform(command, ticket: self.nextTicket, at: self.now)
        return self.nextTicket
    }

    mutating func cancel(_ ticket: Int) {
        self.actions = self.state.cancel(ticket: ticket, at: self.now)
    }

    mutating func followQueue() {
        self.actions = self.state.followQueue(at: self.now)
    }

    mutating func wantQueueItems(_ indices: [Int]) {
        self.actions = self.state.wantQueueItems(indices, at: self.now)
    }

    mutating func forgetQueueItems() {
        self.state.forgetQueueItems()
    }

    /// The app says something unasked.
    mutating func receive(_ json: JSONObject) {
        self.actions = self.state.received(.json(json), at: self.now)
    }

    /// The app tells of its status unasked.
    mutating func push(_ status: JSONObject?) {
        let elements: [JSONValue] = status.map { [.object($0)] } ?? []
        self.receive(["type": "MEDIA_STATUS", "requestId": 0, "status": .array(elements)])
    }

    /// The app answers what was sent last.
    mutating func answer(_ json: JSONObject) {
        var json = json
        json["requestId"] = self.unanswered?["requestId"]
        self.receive(json)
    }

    /// Lets time pass; what is due is done at the moment it is due.
    mutating func pass(_ seconds: Double) {
        let end = self.now + .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
        var actions: [MediaClientState.Action] = []
        while let deadline = self.state.nextDeadline, deadline <= end {
            self.now = max(deadline, self.now)
            actions += self.state.expire(at: self.now)
        }
        self.now = end
        self.actions = actions
    }

    // MARK: What it did

    var sent: [JSONObject] {
        self.actions.compactMap { if case .send(let payload, _) = $0 { payload.jsonObject } else { nil } }
    }

    var lastSent: JSONObject? { self.sent.last }
    var sentTypes: [String] { self.sent.compactMap { $0.string("type") } }

    var events: [MediaEvent] {
        self.actions.compactMap { if case .emit(let event) = $0 { event } else { nil } }
    }

    var statuses: [MediaSnapshot] {
        self.events.compactMap { if case .status(let snapshot) = $0 { snapshot } else { nil } }
    }

    var queueChanges: [MediaQueueChange] {
        self.events.flatMap { event -> [MediaQueueChange] in
            if case .queue(let changes) = event { changes } else { [] }
        }
    }

    func outcome(of ticket: Int) -> RequestOutcome? {
        for action in self.actions {
            if case .finish(ticket, let outcome) = action { return outcome }
        }
        return nil
    }

    func error(of ticket: Int) -> RequestError? {
        if case .failed(let error)? = self.outcome(of: ticket) { error } else { nil }
    }

    var snapshot: MediaSnapshot { self.state.snapshot }
    var position: Double { self.snapshot.position(at: self.now) }
}
