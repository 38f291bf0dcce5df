import CastWire
import GatewayCore
import NIOCore

/// The state that outlives the gateway: the app that runs, the media, and the volume.
///
/// While the gateway is away the receiver stands still: media go on where they were, and a live stream at its edge.
extension ReceiverPlatform {
    /// The app that runs; nil when no sender has launched one.
    func record(at now: NIODeadline) -> JSONObject? {
        // What a member shows is its group's, which is kept there.
        guard let app = self.application, !app.isIdleScreen, !self.speakers.follows else { return nil }
        var record: JSONObject = [
            "app": .string(app.profile.id.rawValue), "kind": .string(app.kind.rawValue),
            "sessionId": .string(app.facts.sessionID), "statusText": .string(app.statusText),
            "volume": [
                "level": .number(Double(self.volume.level)), "muted": .bool(self.volume.isMuted),
                "fileLevel": .number(self.configuration.volume.level),
            ],
        ]
        if let parameters = app.parameters { record["launch"] = .object(parameters.request(for: app.profile.id).json) }
        if let player = app.player { record["player"] = .object(player.record(at: now)) }
        return record
    }

    /// Goes on with what ran when the gateway ended. Nothing happens when the device does not have the app any more, or the record
    /// cannot be read.
    mutating func restore(_ record: JSONObject, at now: NIODeadline) -> [Action] {
        guard self.currentSession == nil, let id = record.string("app").map(AppID.init(rawValue:)),
            let profile = self.profiles.first(where: { $0.id == id }),
            let kind = record.string("kind").flatMap(VirtualAppConfiguration.Kind.init),
            let sessionID = record.string("sessionId"), (1...Self.maximumIDLength).contains(sessionID.utf8.count)
        else { return [] }
        let launch = record.object("launch").flatMap { LaunchParameters(ReceiverRequest(json: $0)) }
        var app = RunningApp(profile, kind: kind, parameters: launch, sessionID: sessionID)
        _ = app.setStatusText(record.string("statusText") ?? "")
        if let player = record.object("player") { app.player?.restore(player, at: now) }
        if let volume = record.object("volume") { self.restore(volume: volume) }
        self.application = app
        return [.sessionStarted(app.facts)] + self.checkIdle(at: now)
    }

    /// A level that was changed in the file meanwhile is the file's to say, as in a reload.
    private mutating func restore(volume: JSONObject) {
        let keepsLevel = volume.double("fileLevel") == self.configuration.volume.level
        let level = keepsLevel ? volume.double("level").map { Float($0) } : nil
        _ = self.volume.follow(VolumeOrder(level: level, isMuted: volume.bool("muted")))
    }
}

extension LaunchParameters {
    /// A LAUNCH that hands the same over.
    fileprivate func request(for app: AppID) -> ReceiverRequest {
        var request = ReceiverRequest.launch(app, language: self.language, requestID: .spontaneous)
        request.appParams = self.appParams
        if let credentials { request.credentials = credentials }
        request.json["customData"] = self.customData
        return request
    }
}
