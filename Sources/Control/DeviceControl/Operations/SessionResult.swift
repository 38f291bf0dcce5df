import CastClient
package import CastWire
import DeviceSessions
package import FeatureContract
import GatewayCore
package import GatewayOperations
import NIOCore

/// A session with an app, as operations answer with it.
package struct SessionResult: ResultRecord {
    /// A session as it stood at one moment.
    package struct Source {
        let kind: DeviceReference.Kind
        var facts: CastSessionFacts
        var options: LaunchOptions?
        var volume: ReceiverVolume?
        var times = AppTimes()
        var media: MediaSnapshot?
        let context: GatewayContext
    }

    package let id = Field.optional("id", "Its number; missing on virtual devices") {
        $0.kind == .real ? $0.facts.number : nil
    }
    package let device = Field("device", "The device") { $0.facts.device }
    package let kind = Field("kind", "Whether the device is real or virtual") { $0.kind }
    package let category = Field(
        "category",
        "Whose device it was when the session began: `cast`, `plugin:NAME`, or `virtual` for a virtual device"
    ) { $0.facts.category.rawValue }
    package let app = Field("app", "The id of the app") { $0.facts.appID.rawValue }
    package let state = Field("state", "How it is") { $0.facts.state.rawValue }
    package let since = Field.optional(
        "since", "Since when it is there, in this run of the gateway, in seconds since 1970"
    ) { source in source.times.started.map { source.context.seconds(of: $0) } }
    package let suspendReason = Field.optional("suspend_reason", "Why it is suspended") {
        $0.facts.suspendReason == .none ? nil : $0.facts.suspendReason.name
    }
    package let sessionID = Field.optional("session_id", "The device's id of the session") { $0.facts.sessionID }
    package let link = Field.optional(
        "link", "The session as a link, with which others join it by `session.join`"
    ) { source in
        let device = DeviceReference("\(source.kind.rawValue):\(source.facts.device)")
        return source.facts.sessionID.map { SessionLink(device: device, session: $0).text }
    }
    package let transportID = Field.optional("transport_id", "The app's end of virtual connections") {
        $0.facts.transportID?.rawValue
    }
    package let displayName = Field.optional("display_name", "The app's name") { $0.facts.app?.displayName }
    package let statusText = Field.optional("status_text", "The app's line on what it does") {
        $0.facts.app?.statusText
    }
    package let iconURL = Field.optional("icon_url", "Where the app's picture is") { source in
        source.facts.app?.iconURL.flatMap { $0.isEmpty ? nil : $0 }
    }
    package let options = Field.optional(
        "options", LaunchOptionsResult.self,
        "How the app was launched, or is to be; missing on virtual devices"
    ) { $0.options }
    package let traits = Field.optional(
        "traits", VolumeTraitsResult.self,
        "What can be done with the volume of the device; missing on virtual devices"
    ) { $0.volume }
    package let media = Field.optional("media", AppMediaResult.self, "What plays") { source in
        guard let media = source.media, media.mediaSessionID != nil, let status = media.status else { return nil }
        return AppMediaResult.Source(status: status, times: source.times, context: source.context)
    }

    package static let layout = ResultLayout(SessionResult())
}

extension SessionResult.Source {
    /// A session of the gateway's own, with what it plays.
    init(_ session: CastSession, in context: GatewayContext) async throws(SessionFailure) {
        self.init(kind: .real, facts: try await session.facts, context: context)
        self.options = try await session.options
        self.volume = try await session.deviceStatus?.volume
        self.times = try await session.times
        self.media = session.media.snapshot
    }

    /// A session of the gateway's own that has ended.
    init(_ ended: EndedSessionCache.Entry, in context: GatewayContext) {
        self.init(kind: .real, facts: ended.facts, context: context)
    }

    /// A session on a virtual device.
    init(_ session: GatewaySnapshot.Session, at now: NIODeadline, in context: GatewayContext) {
        let media = MediaSnapshot(session, at: now)
        var facts = CastSessionFacts(
            number: 0, device: session.device, appID: session.app.appID, state: .connected, app: media.app)
        facts.category = .virtual
        // Nothing but the name of the app.
        facts.app?.statusText = nil
        self.init(kind: .virtual, facts: facts, context: context)
        self.media = media
        self.times.position = media.position(at: .now())
    }
}

/// The options with which the app of a session was launched.
private struct LaunchOptionsResult: ResultRecord {
    typealias Source = LaunchOptions

    let language = Field.optional("language", "The language that the app was launched with") { $0.languageCode }
    let appTypes = Field("app_types", "The kinds of app that could be started, best first") { $0.supportedAppTypes }
    let requiredFeatures = Field("required_features", "What the app had to be able to do") { $0.requiredFeatures }
    let senderName = Field.optional("sender_name", "What the device may call the gateway") { $0.senderName }
    let isRelaunch = Field("relaunch", "Whether an app that ran was launched anew") { $0.relaunchesIfRunning }
    let hasCredentials = Field("credentials", "Whether credentials went along") {
        $0.credentials?.credentials != nil
    }
    let parameters = Field("params", "The names of the other members of `appParams`") {
        $0.appParameters.members.map(\.name)
    }

    static let layout = ResultLayout(LaunchOptionsResult())
}

/// The ways in which the volume of a session's device changes.
private struct VolumeTraitsResult: ResultRecord {
    typealias Source = ReceiverVolume

    let control = Field.optional("control", "How the volume is changed: `attenuation`, `fixed`, `master`") {
        $0.controlType?.rawValue
    }
    let step = Field("step", "By how much the level changes at once; 0 when it cannot be changed") {
        SessionTraits($0).volumeIncrement
    }
    let isFixed = Field("fixed", "Whether the volume cannot be changed") { SessionTraits($0).isFixedVolume }

    static let layout = ResultLayout(VolumeTraitsResult())
}

/// A session that may have ended, as operations answer with it.
struct EndedSessionResult: ResultRecord {
    typealias Source = (session: SessionResult.Source, end: EndedSessionCache.Entry?)

    let session = Embedded(SessionResult.self) { $0.session }
    let end = Field.optional("ended", SessionEndResult.self, "How it ended; missing while it has not") { source in
        source.end.map { ($0, source.session.context) }
    }
    let last = Field.optional(
        "last", "What played last, of a session that has ended",
        as: .object([
            .optional("content_id", .text, "What was loaded, as the app calls it"),
            .optional("title", .text, "Its title"),
            .init("position", .number, "Where the player was, in seconds"),
            .init("player_state", .text, "What the player did"),
            .init("autoplay", .boolean, "Whether a player that goes on with it would play at once"),
        ])
    ) { $0.end?.facts.last?.json }

    static let layout = ResultLayout(EndedSessionResult())
}

/// The end of a session.
private struct SessionEndResult: ResultRecord {
    typealias Source = (ended: EndedSessionCache.Entry, context: GatewayContext)

    let at = Field("at", "When it ended, in seconds since 1970") { $0.context.seconds(of: $0.ended.endedAt) }
    let code = Field.optional("code", "Why, in a word; missing when its end was asked for") {
        $0.ended.failure?.code.name
    }
    let reason = Field.optional("reason", "The same in a sentence") { $0.ended.failure?.message }
    let runningApp = Field.optional("running_app", "The app that ran instead") { $0.ended.failure?.app?.rawValue }
    let closeReason = Field.optional("close_reason", "What the app said when it closed the connection") {
        $0.ended.failure?.closeReason?.word
    }

    static let layout = ResultLayout(SessionEndResult())
}
