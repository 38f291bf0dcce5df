import CastWire
import GatewayCore
import NIOCore

/// Requests to the platform, `receiver-0` (protocol notes, 5).
extension ReceiverPlatform {
    mutating func handlePlatform(
        _ json: JSONObject, in namespace: Namespace, from requester: Requester, at now: NIODeadline
    ) -> [Action] {
        switch namespace {
        case .receiver: self.handleReceiver(ReceiverRequest(json: json), from: requester, at: now)
        case .multizone: self.handleMultizone(MultizonePayload(json: json), from: requester)
        case .discovery: self.handleDiscovery(DiscoveryPayload(json: json), from: requester)
        case .setup: self.handleSetup(SetupPayload(json: json), from: requester)
        default: self.refuse(Self.requestID(of: json), .invalidCommand, in: namespace, to: requester)
        }
    }

    private mutating func handleReceiver(
        _ request: ReceiverRequest, from requester: Requester, at now: NIODeadline
    ) -> [Action] {
        let requestID = Self.requestID(of: request.json)
        switch request.kind {
        case .getStatus: return self.statusReply(requestID, to: requester)
        case .getAppAvailability: return self.appAvailability(request, requestID: requestID, to: requester)
        case .launch: return self.launch(request, from: requester, at: now)
        case .stop: return self.stop(request, requestID: requestID, from: requester)
        case .setVolume:
            guard let changes = self.changeVolume(request.json.object("volume")) else {
                return self.refuse(requestID, .invalidParams, in: .receiver, to: requester)
            }
            return changes + self.statusReply(requestID, to: requester)
        case nil: return self.refuse(requestID, .invalidCommand, in: .receiver, to: requester)
        }
    }

    private func appAvailability(
        _ request: ReceiverRequest, requestID: RequestID?, to requester: Requester
    ) -> [Action] {
        guard let requestID else { return [] }
        let answer = AppAvailability(of: request.appIDs, requestID: requestID) { id in
            self.profiles.contains { $0.matches(id) }
        }
        return [self.send(answer.payload, in: .receiver, to: requester)]
    }

    /// Takes a STOP. It overtakes a launch; without a session id it stops whatever runs (protocol notes, 5.5).
    private mutating func stop(
        _ request: ReceiverRequest, requestID: RequestID?, from requester: Requester
    ) -> [Action] {
        switch request.json["sessionId"] {
        case nil, .null: break
        case .some(let value):
            guard let running = self.application?.facts.sessionID, value.stringValue == running else {
                return self.refuse(requestID, .invalidSessionID, in: .receiver, to: requester)
            }
        }
        var actions = self.cancelLaunch()
        if self.currentSession != nil {
            actions += self.stopApplication(.stopped)
            actions.append(self.statusBroadcast)
        } else if self.showIdleScreen() {
            actions.append(self.statusBroadcast)
        }
        return actions + self.statusReply(requestID, to: requester)
    }

    private func handleDiscovery(_ request: DiscoveryPayload, from requester: Requester) -> [Action] {
        let requestID = Self.requestID(of: request.json)
        guard request.type == "GET_DEVICE_INFO" else {
            return self.refuse(requestID, .invalidCommand, in: .discovery, to: requester)
        }
        guard let requestID else { return [] }
        let info = self.description.deviceInformation(requestID: requestID)
        return [self.send(.json(info), in: .discovery, to: requester)]
    }

    private func handleSetup(_ request: SetupPayload, from requester: Requester) -> [Action] {
        guard let requestID = Self.requestID(of: request.json, in: .setup) else { return [] }
        guard request.isEurekaInfo else {
            return self.refuse(requestID, .invalidCommand, in: .setup, to: requester)
        }
        return [self.send(self.description.setupAnswer(to: request).payload, in: .setup, to: requester)]
    }
}
