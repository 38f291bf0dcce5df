package import CastWire
package import NIOCore

/// Finds out on a new channel whether the device that is meant is at its other end (protocol notes, 5.9).
///
/// Holds no timer and no channel: its owner reports each event and carries out the returned action. Nothing but questions is sent: the
/// device may be another one. With the question which device it is goes one for its status: a device that answers the second and not the
/// first does not know the first, and need not be waited for any longer.
package struct IdentityStateMachine: Sendable {
    package enum Action: Equatable {
        case none
        /// Sends these, and calls ``timerFired(at:)`` then.
        case send([CastMessage], until: NIODeadline)
        /// Calls ``timerFired(at:)`` then, in the place of an earlier deadline.
        case wait(until: NIODeadline)
        case finish(IdentityOutcome)
    }

    private enum State: Sendable {
        case idle
        case asked(until: NIODeadline)
        /// Another id came, which may be that of the leader of a group.
        case askedMembers(DeviceID, until: NIODeadline)
        case finished
    }

    /// The time a device has to say which one it is; then nothing is known of it.
    package static let timeout = TimeAmount.seconds(5)
    /// The longer time for a device that has answered a later question, or to tell the members of a group.
    package static let patience = TimeAmount.seconds(1)
    /// Far from the numbers of all other requests on the channel.
    private static let firstRequestID = 900_000_000

    private let expected: ExpectedDevice
    private var state = State.idle

    package init(_ expected: ExpectedDevice) {
        self.expected = expected
    }

    /// Asks, on a channel that is new.
    package mutating func start(at now: NIODeadline) -> Action {
        guard case .idle = self.state else { return .none }
        let until = now + Self.timeout
        self.state = .asked(until: until)
        return .send(
            [
                Self.message(ConnectionPayload.connect(userAgent: "Castway").payload, in: .connection),
                Self.message(
                    DiscoveryPayload.getDeviceInfo(requestID: RequestID(Self.firstRequestID)).payload, in: .discovery),
                Self.message(
                    ReceiverRequest.getStatus(requestID: RequestID(Self.firstRequestID + 1)).payload, in: .receiver),
            ], until: until)
    }

    /// A message came in before anything else was asked.
    package mutating func received(_ message: CastMessage, at now: NIODeadline) -> Action {
        guard message.source == .platformReceiver else { return .none }
        switch self.state {
        case .idle, .finished: return .none
        case .asked(let until):
            if message.namespace == .discovery { return self.told(message.payload, at: now) }
            guard message.family == .receiver,
                PayloadSummary(peeking: message.payload).type == ReceiverStatusPayload.type
            else { return .none }
            let sooner = min(until, now + Self.patience)
            self.state = .asked(until: sooner)
            return .wait(until: sooner)
        case .askedMembers(let id, _):
            guard message.namespace == .multizone, let answer = MultizonePayload(message.payload),
                answer.kind == .status
            else { return .none }
            return self.finish(answer.devices.isEmpty ? .other(id) : .leader(id))
        }
    }

    private mutating func told(_ payload: CastMessage.Payload, at now: NIODeadline) -> Action {
        guard let answer = DiscoveryPayload(payload), answer.kind == .deviceInfo,
            let id = answer.deviceID.flatMap({ DeviceID($0) })
        else { return .none }
        if id == self.expected.id { return self.finish(.confirmed) }
        let answersAsGroup = answer.deviceCapabilities.map {
            DeviceCapabilities(rawValue: UInt64(max($0, 0))).contains(.multizoneGroup)
        }
        guard self.expected.isGroup != false, answersAsGroup != true else { return self.finish(.other(id)) }
        let until = now + Self.patience
        self.state = .askedMembers(id, until: until)
        let question = MultizonePayload.getStatus(requestID: RequestID(Self.firstRequestID + 2))
        return .send([Self.message(question.payload, in: .multizone)], until: until)
    }

    package mutating func timerFired(at now: NIODeadline) -> Action {
        switch self.state {
        case .asked(let until) where now >= until: self.finish(.silent)
        case .askedMembers(let id, let until) where now >= until: self.finish(.other(id))
        case .idle, .asked, .askedMembers, .finished: .none
        }
    }

    private mutating func finish(_ outcome: IdentityOutcome) -> Action {
        self.state = .finished
        return .finish(outcome)
    }

    private static func message(_ payload: CastMessage.Payload, in namespace: Namespace) -> CastMessage {
        CastMessage(source: .platformSender, destination: .platformReceiver, namespace: namespace, payload: payload)
    }
}
