import CastWire
import GatewayCore
import NIOCore

/// What the receiver tells of itself.
extension ReceiverPlatform {
    /// True while the app sees a sender.
    var isSenderConnected: Bool {
        self.application.map { self.senders.hasVisible(at: $0.facts.transportID) } ?? false
    }

    /// The receiver's status; devices without a screen leave out what only a screen has (protocol notes, 5.2).
    var status: ReceiverStatus {
        let hasScreen = self.description.hasScreen
        return ReceiverStatus(
            application: self.application?.payload(senderConnected: self.isSenderConnected),
            volume: self.volume.payload, isActiveInput: hasScreen ? true : nil, isStandBy: hasScreen ? false : nil)
    }

    /// The status for every sender, sent after each change.
    var statusBroadcast: Action {
        .broadcast(
            CastMessage(
                source: .platformReceiver, destination: .broadcast, namespace: .receiver,
                payload: ReceiverStatusPayload(self.status).payload))
    }

    /// The status as the answer to a request; nothing for a message that expects no answer.
    func statusReply(_ requestID: RequestID?, to requester: Requester) -> [Action] {
        guard let requestID else { return [] }
        let payload = ReceiverStatusPayload(self.status, requestID: requestID).payload
        return [self.send(payload, in: .receiver, to: requester)]
    }

    /// Announces that the app's first sender has come or its last one has gone, and looks at the idle time.
    mutating func senderConnectedChanged(since wasConnected: Bool, at now: NIODeadline) -> [Action] {
        let actions = wasConnected == self.isSenderConnected ? [] : [self.statusBroadcast]
        return actions + self.checkIdle(at: now)
    }
}
