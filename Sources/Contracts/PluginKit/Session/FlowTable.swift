import CastWire
import NIOCore

/// The jobs that run and those that wait, flow by flow: in each flow one at a time, in order.
///
/// A job ends at once or suspends; its end returns the next job. A flow that is idle keeps its place, so that the
/// next message finds it with one look.
struct FlowTable {
    /// Where a flow stands in the table, as long as it has something to do.
    typealias Place = Int

    fileprivate struct Lane {
        let key: LaneKey
        var waiting = CircularBuffer<PluginJob>()
        var isActive = true
        /// What is being done.
        var job: PluginJob?
        var isFinished = false
        /// The task, once the job did not end at once.
        var task: Task<Void, Never>?
    }

    /// So many jobs of a flow may wait.
    static let laneLimit = 4_096
    /// So many events may wait; beyond, the oldest are left out.
    static let eventLimit = 1_024
    /// So many flows may keep their places while they are idle.
    private static let idleLimit = 256

    fileprivate var lanes: [Lane] = []
    fileprivate var places: [LaneKey: Place] = [:]
    /// The flow of the last message: mostly that of the next.
    private var last: (route: PluginRoute, place: Place)?
    private var free: [Place] = []
    /// How many events were left out since the last that was done.
    private var droppedEvents = 0
    /// How many flows have something to do.
    private(set) var activeFlows = 0
    /// How many of them have messages.
    private(set) var messageFlows = 0

    /// What became of a new job.
    enum Admission {
        /// It is to be begun now.
        case begin(PluginJob, Place)
        /// It is done after others of its flow.
        case waits
        /// Too much waits.
        case refused
    }

    mutating func add(_ job: PluginJob, to key: LaneKey) -> Admission {
        guard let place = self.place(of: key) else { return .begin(job, self.open(key, for: job)) }
        guard self.lanes[place].isActive else {
            self.lanes[place].isActive = true
            self.count(key, 1)
            self.prepare(place, for: job)
            return .begin(job, place)
        }
        if key == .events {
            while self.lanes[place].waiting.count >= Self.eventLimit {
                guard case .event(let oldest)? = self.lanes[place].waiting.popFirst() else { break }
                self.droppedEvents += 1 + oldest.event.dropped
            }
        } else if self.lanes[place].waiting.count >= Self.laneLimit {
            return .refused
        }
        self.lanes[place].waiting.append(job)
        return .waits
    }

    private mutating func place(of key: LaneKey) -> Place? {
        guard case .messages(let route) = key else { return self.places[key] }
        if let last, last.route === route { return last.place }
        let place = self.places[key]
        self.last = place.map { (route, $0) }
        return place
    }

    private mutating func open(_ key: LaneKey, for job: PluginJob) -> Place {
        let place: Place
        if let vacant = self.free.popLast() {
            place = vacant
            self.lanes[place] = Lane(key: key)
        } else {
            place = self.lanes.count
            self.lanes.append(Lane(key: key))
        }
        self.places[key] = place
        self.count(key, 1)
        self.prepare(place, for: job)
        return place
    }

    private mutating func count(_ key: LaneKey, _ difference: Int) {
        self.activeFlows += difference
        if key.isMessages { self.messageFlows += difference }
    }

    private mutating func prepare(_ place: Place, for job: PluginJob) {
        self.lanes[place].job = job
        self.lanes[place].isFinished = false
        self.lanes[place].task = nil
    }

    /// The job was begun, and did not end before its first wait; unless it did end since.
    /// - Returns: what comes next when it has ended, nil when it suspends or nothing comes.
    mutating func begun(_ place: Place, task: Task<Void, Never>) -> PluginJob? {
        if self.lanes[place].isFinished { return self.next(place) }
        self.lanes[place].task = task
        return nil
    }

    /// The job ended.
    /// - Returns: what comes next, when the job had suspended; else ``begun(_:task:)`` tells.
    mutating func finished(_ place: Place) -> PluginJob? {
        guard self.lanes[place].task != nil else {
            self.lanes[place].isFinished = true
            return nil
        }
        return self.next(place)
    }

    private mutating func next(_ place: Place) -> PluginJob? {
        guard var job = self.lanes[place].waiting.popFirst() else {
            self.rest(place)
            return nil
        }
        if self.droppedEvents > 0, case .event(let next) = job {
            var event = next.event
            event.dropped += self.droppedEvents
            self.droppedEvents = 0
            job = .event(PluginJob.Event(event))
        }
        self.prepare(place, for: job)
        return job
    }

    private mutating func rest(_ place: Place) {
        let key = self.lanes[place].key
        self.count(key, -1)
        self.lanes[place].isActive = false
        self.lanes[place].task = nil
        self.lanes[place].job = nil
        // A call has no second job.
        guard self.places.count > Self.idleLimit || key.isOperation else { return }
        self.places[key] = nil
        self.free.append(place)
        self.last = nil
    }

    /// Finds who answers a request, to cancel it: waiting jobs are taken away.
    /// - Returns: the task that runs, if one does.
    mutating func cancel(_ id: PluginRequestID) -> Task<Void, Never>? {
        for place in self.lanes.indices where self.lanes[place].isActive && self.lanes[place].key.isMessages {
            if self.lanes[place].job?.id == id { return self.lanes[place].task }
            guard let index = self.lanes[place].waiting.firstIndex(where: { $0.id == id }) else { continue }
            self.lanes[place].waiting.remove(at: index)
            return nil
        }
        return nil
    }
}

extension FlowTable {
    /// Finds who does an operation, to end it.
    /// - Returns: the task that runs, if one does.
    func task(of call: String) -> Task<Void, Never>? {
        guard let place = self.places[.operation(call)], self.lanes[place].isActive else { return nil }
        return self.lanes[place].task
    }
}

/// The jobs that keep their order: one sender talking to one app, and those that are not about messages.
enum LaneKey {
    /// Messages between the same ends on the same channel; whatever else a route says does not count.
    case messages(PluginRoute)
    /// Copies of messages, and events.
    case events
    /// Requests about the plugin itself: initialize, start, reload, drain, shutdown.
    case control
    case health
    case clock
    /// One operation, by the gateway's id of the call.
    case operation(String)

    /// True for an operation.
    var isOperation: Bool { if case .operation = self { true } else { false } }

    /// True for messages that wait for a verdict, and for operations: what draining waits for.
    var isMessages: Bool {
        switch self {
        case .messages, .operation: true
        default: false
        }
    }
}

extension LaneKey: Hashable {
    static func == (left: LaneKey, right: LaneKey) -> Bool {
        switch (left, right) {
        case (.messages(let left), .messages(let right)): left.isSameFlow(as: right)
        case (.operation(let left), .operation(let right)): left == right
        case (.events, .events), (.control, .control), (.health, .health), (.clock, .clock): true
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .messages(let route):
            hasher.combine(route.connection)
            hasher.combine(route.source)
            hasher.combine(route.destination)
        case .events: hasher.combine(1)
        case .control: hasher.combine(2)
        case .health: hasher.combine(3)
        case .clock: hasher.combine(4)
        case .operation(let call): hasher.combine(call)
        }
    }
}

/// One thing to do, in its flow.
enum PluginJob: Sendable {
    /// A message is kept in one piece: a job is copied some times on its way.
    final class Message: Sendable {
        let id: PluginRequestID
        let request: MessageRequest

        init(_ id: PluginRequestID, _ request: MessageRequest) {
            self.id = id
            self.request = request
        }
    }

    /// An event in one piece.
    final class Event: Sendable {
        let event: PluginEvent

        init(_ event: PluginEvent) {
            self.event = event
        }
    }

    /// A request about the plugin itself, in one piece.
    final class Control: Sendable {
        let id: PluginRequestID
        let line: GatewayLine

        init(_ id: PluginRequestID, _ line: GatewayLine) {
            self.id = id
            self.line = line
        }
    }

    /// An operation in one piece.
    final class Operation: Sendable {
        let id: PluginRequestID
        let call: OperationCall

        init(_ id: PluginRequestID, _ call: OperationCall) {
            self.id = id
            self.call = call
        }
    }

    case message(Message)
    case event(Event)
    case control(Control)
    case operation(Operation)

    /// The request that the job answers.
    var id: PluginRequestID? {
        switch self {
        case .message(let message): message.id
        case .control(let control): control.id
        case .operation(let operation): operation.id
        case .event: nil
        }
    }
}
