import CastWire
import GatewayCore
import Logging
import NIOCore

/// The log lines on the apps and media of a device whose senders are passed through: the gateway sees what the device does, and who is
/// connected then, not whose message it was.
struct PassedCastingLog: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let message: CastCommand.Kind
        let metadata: Logger.Metadata
    }

    private static let linesPerMinute = 60
    /// The number of apps that are remembered; more than one device runs.
    private static let maximumApps = 16

    private struct App {
        let session: SessionFacts
        /// The media that it was seen to play.
        var playing: String?
    }

    private var apps: [EndpointID: App] = [:]
    private var throttle = LogThrottle<Bool>(linesPerWindow: Self.linesPerMinute)

    /// Remembers an app that ran before.
    mutating func found(_ session: SessionFacts) {
        if self.apps.count >= Self.maximumApps { self.apps = [:] }
        self.apps[session.transportID] = App(session: session)
    }

    /// An app was started on the device.
    mutating func started(_ session: SessionFacts, _ addresses: Set<String>, at now: NIODeadline) -> Line? {
        self.found(session)
        guard session.appID != .backdrop else { return nil }
        return self.line(.launch, session, addresses, at: now)
    }

    /// An app has told what it plays.
    /// - Parameter status: an element of MEDIA_STATUS; one that names no media says nothing new of them.
    mutating func plays(
        _ status: JSONObject, at transport: EndpointID, _ addresses: Set<String>, at now: NIODeadline
    ) -> Line? {
        guard let media = status.object("media").map(MediaInformation.init(json:)), var app = self.apps[transport],
            let content = media.playableURL ?? media.entity, content != app.playing
        else { return nil }
        app.playing = content
        self.apps[transport] = app
        return self.line(.load, app.session, addresses, at: now) { CastCommand.describe(loading: status, in: &$0) }
    }

    private mutating func line(
        _ kind: CastCommand.Kind, _ session: SessionFacts, _ addresses: Set<String>, at now: NIODeadline,
        _ describe: (inout Logger.Metadata) -> Void = { _ in }
    ) -> Line {
        var metadata: Logger.Metadata = ["session": "\(session.sessionID)"]
        CastCommand.describe(session, in: &metadata)
        describe(&metadata)
        if addresses.count == 1, let only = addresses.first {
            metadata["address"] = "\(only)"
        } else {
            metadata["addresses"] = .array(addresses.sorted().map { "\($0)" })
        }
        let level = self.throttle.level(.info, for: true, at: now, metadata: &metadata)
        return Line(level: level, message: kind, metadata: metadata)
    }
}
