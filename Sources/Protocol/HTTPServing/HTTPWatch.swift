import CastTransport
import NIOCore

/// Holds an HTTP connection to its limits. Shared by the two handlers that see its bytes and its requests.
final class HTTPWatch {
    private var state: HTTPConnectionState
    let admission: ConnectionAdmission
    /// True if the connection may be evicted until its caller is known, rather than until its request is complete.
    private let awaitsCaller: Bool
    private let channel: any Channel
    /// True if the peer may still ask; asked for each request, since a connection can outlast the right to it.
    let isAllowed: () -> Bool
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?
    private var requests: RequestCharge
    private var unsent: UnsentCharge
    /// The gateway has answered on its own, so the answer of the one that was asked is dropped.
    private(set) var isRefused = false

    init(
        limits: HTTPLimits, admission: ConnectionAdmission, awaitsCaller: Bool, channel: any Channel,
        isAllowed: @escaping () -> Bool
    ) {
        self.isAllowed = isAllowed
        self.awaitsCaller = awaitsCaller
        self.state = HTTPConnectionState(limits: limits, at: channel.eventLoop.now)
        self.admission = admission
        self.requests = RequestCharge(admission)
        self.unsent = UnsentCharge(admission)
        self.channel = channel
    }

    private var now: NIODeadline { self.channel.eventLoop.now }

    func begin() {
        self.follow()
    }

    /// - Returns: what becomes of so many bytes.
    func received(_ count: Int) -> HTTPConnectionState.Verdict {
        defer { self.follow() }
        let verdict = self.state.received(at: self.now)
        return verdict == .pass && !self.requests.received(count) ? .refuse : verdict
    }

    /// - Returns: false when there is no room to keep so many bytes for a peer that does not read.
    func wrote(_ count: Int) -> Bool { self.unsent.write(count, isWritable: self.channel.isWritable) }

    func head(bodyLength: Int?) -> HTTPConnectionState.Verdict {
        defer { self.follow() }
        return self.state.head(bodyLength: bodyLength, at: self.now)
    }

    func body(_ count: Int) -> HTTPConnectionState.Verdict { self.state.body(count) }

    func end() -> HTTPConnectionState.Verdict {
        let verdict = self.state.end()
        if verdict == .pass, !self.awaitsCaller { self.admission.secured() }
        self.follow()
        return verdict
    }

    /// The caller of the request that is being answered is known. Where callers need not say who they are, only a complete request counts.
    func callerIsKnown() {
        if self.awaitsCaller, !self.state.isIdle { self.admission.secured() }
    }

    var isAnswerLast: Bool { self.state.isAnswerLast }

    var isAnswerDue: Bool { self.state.isAnswerDue }

    var isOneUnanswered: Bool { self.state.isOneUnanswered }

    func answered() {
        self.requests.answered(oneOf: self.state.unanswered)
        self.state.answered(at: self.now)
        if self.state.isIdle { self.admission.idle() }
        self.follow()
    }

    func writable(_ isWritable: Bool) {
        self.state.writable(isWritable, at: self.now)
        if isWritable { self.unsent.becameWritable() }
        self.follow()
    }

    func refuse() {
        self.isRefused = true
    }

    /// Nothing more is said; bytes that still come are dropped, and soon the connection is closed.
    func linger() {
        self.state.linger(at: self.now)
        self.follow()
    }

    func stop() {
        self.timer?.task.cancel()
        self.timer = nil
        self.requests.answered(oneOf: 1)
        self.unsent.becameWritable()
    }

    /// Sets the timer when something has to happen earlier than it rings; a later one is followed when it has rung.
    private func follow() {
        guard let deadline = self.state.deadline else { return }
        if let timer {
            guard deadline.at < timer.at else { return }
            timer.task.cancel()
        }
        let bound = NIOLoopBound(self, eventLoop: self.channel.eventLoop)
        let task = self.channel.eventLoop.scheduleTask(deadline: deadline.at) { bound.value.timerFired() }
        self.timer = (deadline.at, task)
    }

    private func timerFired() {
        self.timer = nil
        guard let deadline = self.state.deadline else { return }
        guard self.now >= deadline.at else { return self.follow() }
        switch deadline.ending {
        case .idle, .slowReader: return self.channel.hangUp()
        case .lingered:
            let isOver = self.state.isFarewellOver(at: self.now, unsent: self.channel.unsentBytes)
            if isOver { return self.channel.hangUp() }
        case .slowRequest:
            // The one who sees requests knows whether there is something to be answered.
            self.state.expired()
            self.channel.pipeline.fireUserInboundEventTriggered(RefusedRequestEvent(answer: .tooSlow))
        }
        self.follow()
    }
}
