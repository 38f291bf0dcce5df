import CastWire
import GatewayCore
import NIOCore

/// Speaker groups (protocol notes, 5.8).
extension ReceiverPlatform {
    /// The largest difference between a group's own volume and the mean of its members before it is told anew; what is
    /// less is rounding.
    private static let tolerance: Float = 0.0005

    // MARK: What others see

    /// Returns this device's state for other devices of the gateway.
    /// - Parameter device: its name in `gateway.yaml`.
    func speakerState(of device: String, isGroup: Bool) -> SpeakerState {
        let facts = self.description.deviceInformation(requestID: .spontaneous)
        var state = SpeakerState(device: device)
        state.deviceID = SpeakerState.dashed(facts.string("deviceId") ?? "")
        state.name = facts.string("friendlyName") ?? device
        state.capabilities = facts.int("deviceCapabilities") ?? 0
        self.updateVolume(of: &state)
        state.session = isGroup ? self.groupSession : nil
        return state
    }

    func updateVolume(of state: inout SpeakerState) {
        state.level = self.volume.level
        state.isMuted = self.volume.isMuted
        state.isFixed = self.volume.isFixed
    }

    /// The app that runs, as members of this group show it.
    var groupSession: GroupSession? {
        guard let application = self.application, !application.isIdleScreen else { return nil }
        return GroupSession(
            id: application.facts.sessionID, displayName: application.facts.displayName,
            statusText: application.statusText)
    }

    // MARK: What others have changed

    /// Takes what the receiver sees of the gateway's groups from now on.
    mutating func look(at view: GroupView, at now: NIODeadline) -> [Action] {
        let before = self.speakers.devices
        self.speakers.see(view)
        var isChanged = view.order.map { self.volume.follow($0) } ?? false
        if let volume = view.volume, self.differs(volume) {
            isChanged = self.volume.follow(VolumeOrder(level: volume.level, isMuted: volume.isMuted)) || isChanged
        }
        var actions = self.followGroup()
        if isChanged, !actions.contains(self.statusBroadcast) { actions.append(self.statusBroadcast) }
        return actions + self.memberNews(since: before) + self.checkIdle(at: now)
    }

    private func differs(_ volume: (level: Float, isMuted: Bool)) -> Bool {
        abs(volume.level - self.volume.level) > Self.tolerance || volume.isMuted != self.volume.isMuted
    }

    /// Shows what the group plays, or no more.
    private mutating func followGroup() -> [Action] {
        guard let playing = self.speakers.wanted else {
            guard self.speakers.follows else { return [] }
            return self.stopApplication(.stopped) + [self.statusBroadcast]
        }
        guard playing.session.id != self.speakers.followed else {
            return self.application?.setStatusText(playing.session.statusText) == true ? [self.statusBroadcast] : []
        }
        var actions = self.cancelLaunch() + self.leaveApplication(.replaced, by: .multizoneFollower)
        self.screen = Screen()
        let app = RunningApp(
            AppProfile(Self.follower(of: playing.session)), kind: .web, parameters: nil, sessionID: self.newID())
        self.application = app
        self.speakers.join(playing.session.id)
        actions += [.sessionStarted(app.facts), self.statusBroadcast]
        return actions
    }

    /// The app that members show while their group plays: the id says so, the name is that of the group's app (protocol notes, 5.7).
    private static func follower(of session: GroupSession) -> VirtualAppConfiguration {
        VirtualAppConfiguration(id: AppID.multizoneFollower.rawValue) {
            $0.name = session.displayName
            $0.statusText = session.statusText
            $0.namespaces = [Namespace.media.rawValue]
        }
    }

    private func memberNews(since before: [SpeakerState]) -> [Action] {
        let now = self.speakers.devices
        guard now != before else { return [] }
        var news: [MultizonePayload] = []
        for old in before where !now.contains(where: { $0.deviceID == old.deviceID }) {
            news.append(.deviceRemoved(deviceID: old.deviceID))
        }
        for device in now {
            if let old = before.first(where: { $0.deviceID == device.deviceID }) {
                if old != device { news.append(.deviceUpdated(device.payload)) }
            } else {
                news.append(.deviceAdded(device.payload))
            }
        }
        return news.map { Self.broadcast($0) }
    }

    private static func broadcast(_ payload: MultizonePayload) -> Action {
        .broadcast(
            CastMessage(
                source: .platformReceiver, destination: .broadcast, namespace: .multizone, payload: payload.payload))
    }

    // MARK: What senders ask

    /// Takes what a SET_VOLUME carries under `volume`. A group with members has these change theirs.
    /// - Returns: nil when the request makes no sense.
    mutating func changeVolume(_ request: JSONObject?) -> [Action]? {
        let old = self.volume
        switch self.volume.apply(request) {
        case .refused: return nil
        case .unchanged: return []
        case .changed: break
        }
        guard self.speakers.hasMembers else { return [self.statusBroadcast] }
        if self.speakers.view.isVolumeFixed {
            self.volume = old
            return []
        }
        let order = VolumeOrder(
            level: self.volume.level == old.level ? nil : self.volume.level,
            isMuted: self.volume.isMuted == old.isMuted ? nil : self.volume.isMuted)
        return [.changeMembers(order, only: nil), self.statusBroadcast]
    }

    mutating func handleMultizone(_ request: MultizonePayload, from requester: Requester) -> [Action] {
        let requestID = Self.requestID(of: request.json)
        switch request.kind {
        case .getStatus: return self.multizoneStatus(requestID, to: requester)
        case .getCastingGroups:
            guard let requestID else { return [] }
            let groups: JSONObject = [
                "type": "CASTING_GROUPS", "requestId": requestID.json, "status": ["groups": .array(self.castingGroups)],
            ]
            return [self.send(.json(groups), in: .multizone, to: requester)]
        case nil where request.type == "SET_DEVICE_VOLUME":
            return self.setMemberVolume(request, requestID, from: requester)
        default: return self.refuse(requestID, .invalidCommand, in: .multizone, to: requester)
        }
    }

    private func multizoneStatus(_ requestID: RequestID?, to requester: Requester) -> [Action] {
        guard let requestID else { return [] }
        let status = MultizonePayload.status(devices: self.speakers.devices.map(\.payload), requestID: requestID)
        return [self.send(status.payload, in: .multizone, to: requester)]
    }

    /// The group that this member plays, if any; the shape of an element is that of a member.
    private var castingGroups: [JSONValue] {
        guard let playing = self.speakers.playing else { return [] }
        var group = playing.group
        let mean = GroupView(members: playing.members).volume
        group.level = mean?.level ?? group.level
        group.isMuted = mean?.isMuted ?? group.isMuted
        return [.object(group.payload.json)]
    }

    /// Changes the volume of one member, as senders with a list of members ask a group.
    private mutating func setMemberVolume(
        _ request: MultizonePayload, _ requestID: RequestID?, from requester: Requester
    ) -> [Action] {
        guard let members = self.speakers.view.members else {
            return self.refuse(requestID, .invalidCommand, in: .multizone, to: requester)
        }
        let id = request.json.string("deviceId").map { SpeakerState.dashed($0) }
        guard let index = members.firstIndex(where: { $0.deviceID == id }),
            let order = VolumeOrder(request.json.object("volume"))
        else { return self.refuse(requestID, .invalidParams, in: .multizone, to: requester) }
        var actions: [Action] = []
        if !members[index].isFixed {
            self.speakers.note(order, of: index)
            actions.append(.changeMembers(order, only: members[index].device))
            actions += self.memberNews(since: members)
        }
        return actions + self.multizoneStatus(requestID, to: requester)
    }

    /// Answers as a member's app about its media: nothing is loaded here, the group has it (protocol notes, 8.6).
    /// - Returns: nil when it is no such question, or the app is not a group's.
    func answerAsMember(_ json: JSONObject, in namespace: Namespace, from requester: Requester) -> [Action]? {
        guard self.speakers.follows, namespace == .media, json.string("type") == "GET_STATUS" else { return nil }
        guard let requestID = Self.requestID(of: json, in: .media) else { return [] }
        let status: JSONObject = ["type": "MEDIA_STATUS", "requestId": requestID.json, "status": []]
        return [self.send(.json(status), in: .media, to: requester)]
    }
}

extension VolumeOrder {
    /// Reads what a request carries under `volume`: a level, a mute state, or both.
    /// - Returns: nil when it makes no sense.
    init?(_ request: JSONObject?) {
        guard let request else { return nil }
        switch request["level"] {
        case nil, .null: self.level = nil
        case .number(let number) where number.doubleValue.isFinite:
            self.level = Float(min(max(number.doubleValue, 0), 1))
        default: return nil
        }
        switch request["muted"] {
        case nil, .null: self.isMuted = nil
        case .bool(let muted): self.isMuted = muted
        default: return nil
        }
    }
}
