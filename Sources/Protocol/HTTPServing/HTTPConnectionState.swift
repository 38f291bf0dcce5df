import NIOCore

/// The state of an HTTP connection, and the time by which it has to get on.
///
/// Bytes alone extend nothing: a request has its time from its first byte, a connection without one has its time from
/// the end of the last answer. Holds no timer and no channel: instants are passed in.
struct HTTPConnectionState {
    /// The reason a connection ends.
    enum Ending: Equatable {
        case slowRequest
        /// No request came.
        case idle
        case slowReader
        case lingered
    }

    /// The decision on a part of a request.
    enum Verdict: Equatable {
        case pass
        /// The body is longer than it may be; the request is answered so, and the connection ends.
        case refuse
        /// Nothing is read from the peer any more.
        case drop
    }

    private let limits: HTTPLimits
    /// True if bytes have come that belong to no complete request.
    private var isReading = false
    /// The time when the request that is being read began, or when the last answer before it ended; nil while one before it is being
    /// answered.
    private var requestBegan: NIODeadline?
    /// True if its head has been read.
    private var isHeadRead = false
    private var bodyBytes = 0
    /// Requests whose head was read and whose answer has not ended.
    private(set) var unanswered = 0
    private var idleSince: NIODeadline
    private var blockedSince: NIODeadline?
    private var farewell: CloseGracePeriod?

    init(limits: HTTPLimits, at now: NIODeadline) {
        self.limits = limits
        self.idleSince = now
    }

    /// By when something has to happen, and what it means if it does not; nil while the gateway is at work.
    var deadline: (at: NIODeadline, ending: Ending)? {
        if let farewell { return (farewell.deadline, .lingered) }
        var soonest: (at: NIODeadline, ending: Ending)?
        if let requestBegan {
            soonest = (requestBegan + self.limits.requestTimeout, .slowRequest)
        } else if self.unanswered == 0 {
            soonest = (self.idleSince + self.limits.idleTimeout, .idle)
        }
        if let blockedSince {
            let blocked = blockedSince + self.limits.requestTimeout
            if soonest.map({ blocked < $0.at }) ?? true { soonest = (blocked, .slowReader) }
        }
        return soonest
    }

    /// True while neither side has something to do.
    var isIdle: Bool { self.requestBegan == nil && self.unanswered == 0 && self.farewell == nil }

    mutating func received(at now: NIODeadline) -> Verdict {
        guard self.farewell == nil else { return .drop }
        self.isReading = true
        self.beginRequest(at: now)
        return .pass
    }

    /// A request behind one that is being answered has its time from the end of that answer: what the peer sends early, be it an empty line,
    /// ends no answer that lasts.
    private mutating func beginRequest(at now: NIODeadline) {
        let isWaiting = self.unanswered > (self.isHeadRead ? 1 : 0)
        if self.isReading, self.requestBegan == nil, !isWaiting { self.requestBegan = now }
    }

    /// The head of a request was read.
    /// - Parameter length: what it says of its body; nil when that is told by the body itself, or there is none.
    mutating func head(bodyLength length: Int?, at now: NIODeadline) -> Verdict {
        guard self.farewell == nil else { return .drop }
        // Several heads may be in what one read brought.
        self.isReading = true
        self.isHeadRead = true
        self.bodyBytes = 0
        self.unanswered += 1
        self.beginRequest(at: now)
        return (length ?? 0) > self.limits.maximumBodyBytes ? .refuse : .pass
    }

    mutating func body(_ count: Int) -> Verdict {
        guard self.farewell == nil else { return .drop }
        self.bodyBytes += count
        return self.bodyBytes > self.limits.maximumBodyBytes ? .refuse : .pass
    }

    mutating func end() -> Verdict {
        guard self.farewell == nil else { return .drop }
        self.requestBegan = nil
        self.isReading = false
        self.isHeadRead = false
        return .pass
    }

    /// True if an answer that begins now is the connection's last: its request is not complete, and is not waited for.
    var isAnswerLast: Bool { self.isHeadRead && self.unanswered == 1 }

    /// True if all requests that came whole have been answered, so that the next answer is about the one that is being read.
    var isAnswerDue: Bool { self.unanswered == 0 || self.isAnswerLast }

    /// The time of the request that is being read was over, and that has been said.
    mutating func expired() {
        self.requestBegan = nil
    }

    /// True if the answer that begins now is to the newest request.
    var isOneUnanswered: Bool { self.unanswered == 1 }

    mutating func answered(at now: NIODeadline) {
        self.unanswered = max(self.unanswered - 1, 0)
        self.idleSince = now
        self.beginRequest(at: now)
    }

    /// Takes a change of the channel's writability.
    mutating func writable(_ isWritable: Bool, at now: NIODeadline) {
        if isWritable { self.blockedSince = nil } else if self.blockedSince == nil { self.blockedSince = now }
    }

    /// Nothing more is said; the peer has a moment to read what was.
    mutating func linger(at now: NIODeadline) {
        if self.farewell == nil { self.farewell = CloseGracePeriod(at: now) }
    }

    /// Returns true if the peer has had its moment.
    /// - Parameter unsent: how many bytes the gateway holds for the peer.
    mutating func isFarewellOver(at now: NIODeadline, unsent: Int) -> Bool {
        self.farewell?.isOver(at: now, unsent: unsent) ?? false
    }
}
