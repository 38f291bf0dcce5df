import CastWire
import GatewayCore
import NIOCore

/// The app that runs on the built-in receiver, or its idle screen.
struct RunningApp {
    /// The limit of a status text, in Unicode scalars: it travels in every status.
    static let maximumStatusText = 256

    /// The facts for others.
    let facts: SessionFacts
    let profile: AppProfile
    let kind: VirtualAppConfiguration.Kind
    /// True for the idle screen, which no sender launched and which is no session.
    let isIdleScreen: Bool
    /// The parameters of the LAUNCH.
    let parameters: LaunchParameters?
    /// The app in a status, made once since every status repeats it.
    private var listing: ReceiverApplication
    /// Plays what senders load; nil for an app without a player.
    var player: SimulatedPlayer?
    /// Since when the app is unused: without a sender that keeps it alive, and without media. Nil while it is used.
    var idleSince: NIODeadline?

    /// Starts an app. Its session and its transport have the same id, as on today's devices (protocol notes, 3.1).
    init(_ profile: AppProfile, kind: VirtualAppConfiguration.Kind, parameters: LaunchParameters?, sessionID: String) {
        self.facts = SessionFacts(
            appID: kind == .androidTV ? profile.androidID : profile.id, universalAppID: profile.id,
            appType: kind.rawValue, sessionID: sessionID, transportID: EndpointID(rawValue: sessionID),
            displayName: profile.displayName, namespaces: profile.namespaces,
            versionCode: profile.configuration.versionCode)
        self.profile = profile
        self.kind = kind
        self.isIdleScreen = false
        self.parameters = parameters
        self.listing = Self.listing(
            profile, kind: kind, facts: self.facts, statusText: Self.shortened(profile.statusText))
        self.player =
            profile.configuration.player == .simulated
            ? SimulatedPlayer(
                options: profile.configuration.options, shuffleSeed: Self.seed(sessionID),
                queue: profile.configuration.queue, takesAddressesOnly: profile.id == .defaultMediaReceiver) : nil
    }

    /// Shows the idle screen.
    init(idleScreen sessionID: String) {
        let profile = AppProfile.idleScreen
        self.facts = SessionFacts(
            appID: profile.id, sessionID: sessionID, transportID: EndpointID(rawValue: sessionID),
            displayName: profile.displayName, namespaces: profile.namespaces)
        self.profile = profile
        self.kind = .web
        self.isIdleScreen = true
        self.parameters = nil
        self.listing = Self.listing(profile, kind: .web, facts: self.facts, statusText: profile.statusText)
        self.listing.isIdleScreen = true
    }

    /// Changes the line on what the app does; an empty one means its own.
    /// - Returns: false when it was the same before.
    mutating func setStatusText(_ text: String) -> Bool {
        let text = Self.shortened(text.isEmpty ? self.profile.statusText : text)
        guard text != self.listing.statusText else { return false }
        self.listing.statusText = text
        return true
    }

    /// The line on what the app does.
    var statusText: String { self.listing.statusText ?? "" }

    /// The app as a status lists it.
    func payload(senderConnected: Bool) -> ReceiverApplication {
        var payload = self.listing
        payload.senderConnected = senderConnected
        return payload
    }

    private static func listing(
        _ profile: AppProfile, kind: VirtualAppConfiguration.Kind, facts: SessionFacts, statusText: String
    ) -> ReceiverApplication {
        var listing = ReceiverApplication(
            appID: facts.appID, displayName: facts.displayName, sessionID: facts.sessionID,
            transportID: facts.transportID, namespaces: facts.namespaces, statusText: statusText)
        listing.appType = kind.rawValue
        listing.universalAppID = profile.id
        if let iconURL = profile.configuration.iconURL { listing.iconURL = iconURL }
        return listing
    }

    /// A number that differs from session to session (FNV-1a).
    private static func seed(_ sessionID: String) -> UInt64 {
        sessionID.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > Self.maximumStatusText else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.maximumStatusText)))
    }
}
