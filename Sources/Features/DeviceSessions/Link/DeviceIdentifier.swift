import CastDiscovery
import CastTransport
import CastWire
import Logging
import NIOCore
import SystemPrimitives

/// Asks the device on each new channel which one it is, before anything of senders, sessions or callers is sent there.
///
/// The id decides, since addresses change hands: a channel to another device than the one that is meant is given up. A device that does not
/// say which one it is is used, with a warning, unless it has said so on an earlier channel: then another one is there now.
///
/// Lives on the event loop of the device's session. Holds the channel, and what is done next, until it is known, or the channel ends.
final class DeviceIdentifier {
    private let eventLoop: any EventLoop
    private let logger: Logger
    /// The device that is meant; nil when any that answers is.
    var expected: ExpectedDevice? {
        didSet {
            guard self.expected?.id != oldValue?.id else { return }
            self.last = nil
            self.hasConfirmed = false
        }
    }
    private var channel: CastConnection?
    private var state: IdentityStateMachine?
    private var done: ((_ refusal: String?, _ isNews: Bool) -> Void)?
    private let timer: LoopTimer
    /// The last outcome, on whichever channel; kept while the same device is meant.
    private var last: IdentityOutcome?
    /// True if the device has said that it is the one that is meant.
    private var hasConfirmed = false

    init(eventLoop: any EventLoop, logger: Logger) {
        self.eventLoop = eventLoop
        self.logger = logger
        self.timer = LoopTimer(on: eventLoop)
    }

    /// Begins on a new channel.
    /// - Parameter done: called once, perhaps at once, unless the channel ends before: with nil when the channel may be used, and
    ///   otherwise with the reason why not, and whether another came of it the last time.
    func begin(on channel: CastConnection, done: @escaping (_ refusal: String?, _ isNews: Bool) -> Void) {
        self.end()
        guard let expected else { return done(nil, false) }
        self.channel = channel
        self.done = done
        var state = IdentityStateMachine(expected)
        let action = state.start(at: self.eventLoop.now)
        self.state = state
        self.perform(action)
    }

    /// Takes a message of a channel that is not in use yet.
    func received(_ message: CastMessage) {
        self.advance { $0.received(message, at: self.eventLoop.now) }
    }

    /// The channel is gone, or about to go.
    func end() {
        self.timer.cancel()
        self.state = nil
        self.done = nil
        self.channel = nil
    }

    private func advance(_ step: (inout IdentityStateMachine) -> IdentityStateMachine.Action) {
        guard var state = self.state else { return }
        let action = step(&state)
        self.state = state
        self.perform(action)
    }

    private func perform(_ action: IdentityStateMachine.Action) {
        switch action {
        case .none: break
        case .send(let messages, let until):
            guard let channel else { return }
            for message in messages { channel.send(message) }
            channel.flush()
            self.wait(until: until)
        case .wait(let until): self.wait(until: until)
        case .finish(let outcome): self.finish(outcome)
        }
    }

    private func wait(until: NIODeadline) {
        self.timer.set(until: until) { self.advance { $0.timerFired(at: self.eventLoop.now) } }
    }

    private func finish(_ outcome: IdentityOutcome) {
        guard let expected, let done else { return }
        self.end()
        let refusal = outcome.refusal(of: expected, hasConfirmed: self.hasConfirmed)
        let isNews = outcome != self.last
        if isNews { self.report(outcome, expected, refusal) }
        self.last = outcome
        if outcome == .confirmed { self.hasConfirmed = true }
        done(refusal, isNews)
    }

    /// Logs an outcome once: a device is asked at each of many attempts.
    private func report(_ outcome: IdentityOutcome, _ expected: ExpectedDevice, _ refusal: String?) {
        if let refusal {
            self.logger.warning("Not the device that is meant, so it is not used", metadata: ["reason": "\(refusal)"])
        } else if outcome == .silent {
            self.logger.warning(
                "The device does not say which one it is, and is used all the same", metadata: ["id": "\(expected.id)"])
        }
    }
}
