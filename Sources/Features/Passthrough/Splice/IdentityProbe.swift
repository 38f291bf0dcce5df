import CastDiscovery
import CastTransport
import CastWire
import GatewayConfig
import NIOCore
import SystemPrimitives

/// Asks the device at an address which one it is, on a channel of its own that is closed then: what passes through a splice is not read.
///
/// Lives on the event loop of the device that is passed through, as long as its channel.
final class IdentityProbe: CastConnectionDelegate {
    private let answer: EventLoopPromise<IdentityOutcome?>
    private let eventLoop: any EventLoop
    private let timer: LoopTimer
    private var machine: IdentityStateMachine
    private var connection: CastConnection?

    private init(_ expected: ExpectedDevice, _ answer: EventLoopPromise<IdentityOutcome?>, on eventLoop: any EventLoop)
    {
        self.machine = IdentityStateMachine(expected)
        self.answer = answer
        self.eventLoop = eventLoop
        self.timer = LoopTimer(on: eventLoop)
    }

    /// Asks; the answer is nil when no channel came to be, or it ended before.
    static func ask(
        _ address: DialAddress, for expected: ExpectedDevice, within patience: TimeAmount, on eventLoop: any EventLoop
    ) -> EventLoopFuture<IdentityOutcome?> {
        let answer = eventLoop.makePromise(of: IdentityOutcome?.self, within: patience + IdentityStateMachine.timeout) {
            $0.succeed(nil)
        }
        do {
            let dialer = try CastDialer(
                pipeline: CastPipeline(
                    role: .sender, heartbeat: .init(interval: .seconds(60), timeout: .seconds(120)),
                    handshakeTimeout: patience),
                timeout: patience)
            let probe = NIOLoopBound(IdentityProbe(expected, answer, on: eventLoop), eventLoop: eventLoop)
            dialer.dial(host: address.host, port: address.port, on: eventLoop, delegate: probe.value).whenComplete {
                switch $0 {
                case .success(let connection): probe.value.dialled(connection)
                case .failure: probe.value.end(nil)
                }
            }
        } catch {
            answer.succeed(nil)
        }
        return answer.futureResult
    }

    /// TCP stands on this channel, so it is the one.
    private func dialled(_ connection: CastConnection) {
        if self.connection == nil { self.connection = connection }
    }

    func connectionReady(_ connection: CastConnection) {
        self.dialled(connection)
        guard connection === self.connection else { return }
        self.perform(self.machine.start(at: self.eventLoop.now))
    }

    func connection(_ connection: CastConnection, received message: CastMessage) {
        self.perform(self.machine.received(message, at: self.eventLoop.now))
    }

    func connectionReadComplete(_ connection: CastConnection) {}

    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        if connection === self.connection { self.end(nil) }
    }

    private func perform(_ action: IdentityStateMachine.Action) {
        switch action {
        case .none: break
        case .send(let messages, let until):
            for message in messages { self.connection?.send(message) }
            self.connection?.flush()
            self.wait(until: until)
        case .wait(let until): self.wait(until: until)
        case .finish(let outcome): self.end(outcome)
        }
    }

    private func wait(until: NIODeadline) {
        self.timer.set(until: until) { self.perform(self.machine.timerFired(at: self.eventLoop.now)) }
    }

    private func end(_ outcome: IdentityOutcome?) {
        self.timer.cancel()
        self.answer.succeed(outcome)
        self.connection?.close("it was only asked which device it is")
    }
}

/// The devices that answer at the addresses of the one that is passed through.
///
/// Addresses change hands, so each is asked before a sender is passed through to it, unless it was asked a short while ago.
struct AddressIdentities {
    /// The time for which an answer counts.
    private static let validity = TimeAmount.seconds(10)

    private var answers: [DialAddress: (refusal: String?, until: NIODeadline)] = [:]
    /// True if the device has said before which one it is.
    private var hasConfirmed = false
    /// The device that is meant; nil when any that answers is.
    private(set) var expected: ExpectedDevice?

    mutating func follow(_ expected: ExpectedDevice?) {
        if self.expected?.id != expected?.id { self = AddressIdentities() }
        self.expected = expected
    }

    /// Forgets what was answered: devices may have moved.
    mutating func doubt() { self.answers = [:] }

    /// The known answer for an address; nil when it has to be asked.
    func answer(at address: DialAddress, now: NIODeadline) -> (refusal: String?, until: NIODeadline)? {
        self.answers[address].flatMap { now < $0.until ? $0 : nil }
    }

    /// Takes an answer.
    /// - Returns: why senders are not passed through to the address; nil when they are.
    mutating func note(_ outcome: IdentityOutcome?, at address: DialAddress, now: NIODeadline) -> String? {
        guard let expected else { return nil }
        guard let outcome else { return "it does not speak Cast" }
        let refusal = outcome.refusal(of: expected, hasConfirmed: self.hasConfirmed)
        if outcome == .confirmed { self.hasConfirmed = true }
        self.answers[address] = (refusal, now + Self.validity)
        return refusal
    }
}
