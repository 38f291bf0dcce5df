import CastClient
import CastWire
import GatewayCore
import NIOCore

@testable import DeviceSessions

/// A session's state machine with a clock of its own, and what it wanted done.
struct SessionBench {
    typealias Action = SessionStateMachine.Action

    static let app: AppID = .defaultMediaReceiver

    var machine: SessionStateMachine
    private(set) var now = NIODeadline.uptimeNanoseconds(0)

    init(
        options: LaunchOptions = LaunchOptions(), isPolite: Bool = true, suspendAfter: TimeAmount = .seconds(30)
    ) {
        self.machine = SessionStateMachine(
            app: Self.app, options: options, isPolite: isPolite, suspendAfter: suspendAfter, at: self.now)
    }

    init(machine: SessionStateMachine) {
        self.machine = machine
    }

    mutating func pass(_ seconds: Int64) {
        self.now = self.now + .seconds(seconds)
    }

    // MARK: Events

    mutating func start(isOnline: Bool = true) -> [Action] { self.machine.start(at: self.now, isOnline: isOnline) }
    mutating func linkUp(_ status: ReceiverStatus) -> [Action] { self.machine.linkUp(status, at: self.now) }
    mutating func linkDown(_ reason: SessionSuspendReason = .networkError) -> [Action] {
        self.machine.linkDown(reason, at: self.now)
    }
    mutating func received(_ status: ReceiverStatus) -> [Action] { self.machine.received(status, at: self.now) }
    mutating func closed(_ transport: EndpointID) -> [Action] { self.machine.closed(transport, at: self.now) }
    mutating func consent(_ state: LaunchStatus.State) -> [Action] { self.machine.consent(state, at: self.now) }
    mutating func end(_ action: SessionEndAction, isOnline: Bool = true) -> [Action] {
        self.machine.end(action, isOnline: isOnline)
    }
    mutating func timerFired() -> [Action] { self.machine.timerFired(at: self.now) }
    mutating func answered(_ request: SessionRequest, _ answer: AppConnection.Answer) -> [Action] {
        self.machine.answered(request, answer, at: self.now)
    }

    /// Brings it to where the app can be spoken to.
    mutating func connect(_ status: ReceiverStatus = .playing) {
        _ = self.start()
        _ = self.answered(.status, .status(status))
    }
}

extension [SessionStateMachine.Action] {
    /// What was told to listeners.
    var changes: [CastSessionChange] { self.compactMap { if case .emit(let change) = $0 { change } else { nil } } }

    /// What was asked of the platform.
    var requests: [SessionRequest] { self.compactMap { if case .ask(let request) = $0 { request } else { nil } } }

    /// Which virtual connections were opened.
    var connects: [EndpointID] { self.compactMap { if case .connect(let end) = $0 { end } else { nil } } }

    /// Which virtual connections were closed.
    var closes: [EndpointID] { self.compactMap { if case .close(let end) = $0 { end } else { nil } } }

    /// How operations ended.
    var ends: [SessionOperation: CastErrorCode] {
        var ends: [SessionOperation: CastErrorCode] = [:]
        for case .settle(let operation, let failure) in self { ends[operation] = failure?.code ?? .noError }
        return ends
    }
}
