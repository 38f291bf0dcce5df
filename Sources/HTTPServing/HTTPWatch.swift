import CastTransport
import NIOCore

/// Holds an HTTP connection to its limits. Shared by the two handlers that see its bytes and its requests.
final class HTTPWatch {
    private var state: HTTPConnectionState
    private let admission: ConnectionAdmission
    private let channel: any Channel
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?
    /// The gateway has answered on its own, so the answer of the one that was asked is dropped.
    private(set) var isRefused = false

    init(limits: HTTPLimits, admission: ConnectionAdmission, channel: any Channel) {
        self.state = HTTPConnectionState(limits: limits, at: channel.eventLoop.now)
        self.admission = admission
        self.channel = channel
    }

    private var now: NIODeadline { self.channel.eventLoop.now }

    func begin() {
        self.follow()
    }

    /// - Returns: false when the bytes are dropped.
    func received() -> Bool {
        defer { self.follow() }
        return self.state.received(at: self.now) == .pass
    }

    func head(bodyLength: Int?) -> HTTPConnectionState.Verdict {
        defer { self.follow() }
        return self.state.head(bodyLength: bodyLength, at: self.now)
    }

    func body(_ count: Int) -> HTTPConnectionState.Verdict { self.state.body(count) }

    func end() -> HTTPConnectionState.Verdict {
        let verdict = self.state.end()
        if verdict == .pass { self.admission.secured() }
        self.follow()
        return verdict
    }

    var isAnswerLast: Bool { self.state.isAnswerLast }

    var isOneUnanswered: Bool { self.state.isOneUnanswered }

    func answered() {
        self.state.answered(at: self.now)
        if self.state.isIdle { self.admission.idle() }
        self.follow()
    }

    func writable(_ isWritable: Bool) {
        self.state.writable(isWritable, at: self.now)
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
        if self.now >= deadline.at { self.channel.close(promise: nil) } else { self.follow() }
    }
}
