import NIOCore

/// What is being done and what waits, flow by flow: in each one thing at a time, in order.
///
/// A job ends at once or suspends; whoever ends it learns what comes next. A flow that is idle keeps its place, so that the
/// next message finds it with one look.
struct FlowTable {
    /// Where a flow stands in the table, as long as it has something to do.
    typealias Place = Int

    private struct Lane {
        let key: FlowKey
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

    private var lanes: [Lane] = []
    private var places: [FlowKey: Place] = [:]
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

    mutating func add(_ job: PluginJob, to key: FlowKey) -> Admission {
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

    private mutating func place(of key: FlowKey) -> Place? {
        guard case .messages(let route) = key else { return self.places[key] }
        if let last, last.route === route { return last.place }
        let place = self.places[key]
        self.last = place.map { (route, $0) }
        return place
    }

    private mutating func open(_ key: FlowKey, for job: PluginJob) -> Place {
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

    private mutating func count(_ key: FlowKey, _ difference: Int) {
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
        guard self.places.count > Self.idleLimit else { return }
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
