import CastIdentity
import CastTransport
import CastWire
import GatewayCore
import Logging
import NIOCore
import NIOPosix
import SystemPrimitives

/// Asks a device to prove itself on each channel that is opened to it, before anything else is said there.
///
/// Lives on the event loop of the device's session. Holds the channel, and what is to be done when it may be used, until
/// authentication or the channel ends.
final class DeviceAuthenticator {
    private let device: String
    private let eventLoop: any EventLoop
    private let events: EventBus
    private let records: DeviceAuthenticationRecords
    private let logger: Logger
    /// The policy that later channels follow.
    var verification: DeviceVerification
    /// True if the device announces that it shows video (bit 0 of `ca`, protocol notes, 1.3); nil while it announces
    /// nothing.
    var showsVideo: Bool?
    private var channel: CastConnection?
    private var state: AuthenticationStateMachine?
    private let timer: LoopTimer
    private var open: (() -> Void)?

    init(
        device: String, verification: DeviceVerification, records: DeviceAuthenticationRecords, events: EventBus,
        eventLoop: any EventLoop, logger: Logger
    ) {
        self.device = device
        self.verification = verification
        self.records = records
        self.events = events
        self.eventLoop = eventLoop
        self.timer = LoopTimer(on: eventLoop)
        self.logger = logger
    }

    /// Begins on a new channel.
    /// - Parameter open: called once when the channel may be used, perhaps at once; never when the device is hung up on.
    func begin(on channel: CastConnection, open: @escaping () -> Void) {
        self.end()
        guard self.verification.verifier != nil else { return open() }
        self.channel = channel
        self.open = open
        var state = AuthenticationStateMachine(timeout: self.verification.timeout)
        let nonce = (0..<AuthenticationStateMachine.nonceLength).map { _ in UInt8.random(in: .min ... .max) }
        let action = state.start(leaf: channel.peerLeaf, nonce: nonce, at: self.eventLoop.now)
        self.state = state
        self.perform(action)
    }

    /// Takes a message of the channel. Anything but a reply, and a reply after the end, is ignored.
    func received(_ message: CastMessage) {
        if message.family == .deviceAuth { self.advance { $0.received(message.payload) } }
    }

    /// The channel is gone, or about to go.
    func end() {
        self.timer.cancel()
        self.state = nil
        self.open = nil
        self.channel = nil
    }

    /// As which device it proved itself on the channel that is open: the common name of its certificate; nil when it did not.
    var provenDevice: String? {
        guard case .verified(let device)? = self.records[self.device]?.outcome else { return nil }
        return device.commonName
    }

    /// Forgets what came of the last channel, so that the next outcome is news.
    func forget() { self.records[self.device] = nil }

    private func advance(_ step: (inout AuthenticationStateMachine) -> AuthenticationStateMachine.Action) {
        guard var state = self.state else { return }
        let action = step(&state)
        self.state = state
        self.perform(action)
    }

    private func perform(_ action: AuthenticationStateMachine.Action) {
        switch action {
        case .none: break
        case .challenge(let message, let until): self.send(message, until: until)
        case .verify(let job): self.verify(job)
        case .finish(let outcome): self.finish(outcome)
        }
    }

    private func send(_ message: DeviceAuthMessage, until: NIODeadline) {
        guard let channel else { return }
        channel.send(
            CastMessage(
                source: .platformSender, destination: .platformReceiver, namespace: .deviceAuth,
                payload: message.payload))
        channel.flush()
        self.timer.set(until: until) { self.advance { $0.timerFired(at: self.eventLoop.now) } }
    }

    /// Chains are built and signatures checked elsewhere: that takes as long as a hundred messages, and a device may
    /// bring certificates that take far longer.
    private func verify(_ job: DeviceProofJob) {
        self.timer.cancel()
        guard let channel, let verifier = self.verification.verifier else { return }
        let bound = NIOLoopBound((self, channel), eventLoop: self.eventLoop)
        let (showsVideo, wallClock) = (self.showsVideo, self.verification.wallClock)
        let needsNonce = self.verification.needsNonce
        NIOThreadPool.singleton.runIfActive(eventLoop: self.eventLoop) {
            job.outcome(by: verifier, showsVideo: showsVideo, needsNonce: needsNonce, now: wallClock())
        }.whenComplete { result in
            let (authenticator, channel) = bound.value
            // Another channel may have taken its place meanwhile.
            guard authenticator.channel === channel else { return }
            let outcome =
                switch result {
                case .success(let outcome): outcome
                case .failure(let error): DeviceAuthenticationOutcome.failed(.notVerifiable("\(error)"))
                }
            authenticator.advance { $0.verified(outcome) }
        }
    }

    private func finish(_ outcome: DeviceAuthenticationOutcome) {
        let (channel, open) = (self.channel, self.open)
        self.end()
        let record = DeviceAuthenticationRecord(outcome: outcome, time: self.verification.wallClock())
        let isNews = self.records[self.device]?.outcome != outcome
        self.records[self.device] = record
        self.report(outcome, isNews: isNews)
        if outcome.isVerified || self.verification.policy != .require {
            open?()
        } else {
            channel?.close("device authentication failed: \(outcome) (\(outcome.code.name))")
        }
    }

    /// Logs the outcome; a repeated one at the debug level, since a device is asked at each of many attempts.
    private func report(_ outcome: DeviceAuthenticationOutcome, isNews: Bool) {
        switch outcome {
        case .verified(let device):
            self.logger.log(
                level: isNews ? .info : .debug,
                device.isFresh ? "Device verified" : "Device verified, though its proof repeats no nonce",
                metadata: [
                    "common_name": "\(device.commonName)", "audio_only": .stringConvertible(device.isAudioOnly),
                    "fresh": .stringConvertible(device.isFresh),
                    "revocation": "\(device.revocation)", "root": "\(device.rootFingerprint.prefix(16))",
                ])
            if isNews {
                self.events.publish(
                    .deviceVerified(
                        target: self.device, commonName: device.commonName, isAudioOnly: device.isAudioOnly))
            }
        case .notFresh, .failed, .unavailable:
            let isRequired = self.verification.policy == .require
            self.logger.log(
                level: isNews ? .warning : .debug,
                isRequired ? "Device not verified, so it is not used" : "Device not verified, and used all the same",
                metadata: ["reason": "\(outcome)", "code": "\(outcome.code.name)"])
            if isNews {
                self.events.publish(
                    .deviceNotVerified(
                        target: self.device, code: outcome.code, reason: outcome.description,
                        isRefused: isRequired))
            }
        }
    }
}
