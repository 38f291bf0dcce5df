import CastWire

/// An app of the built-in receiver as senders see it: the configuration with everything filled in that it leaves open.
struct AppProfile: Equatable, Sendable {
    /// The web app's id.
    let id: AppID
    /// The id of the app on Android TV; the same unless it is known to differ.
    let androidID: AppID
    /// The app's name for people; never empty, since Chromium takes no session without a name.
    let displayName: String
    /// The namespaces of the app; never empty, for the same reason.
    let namespaces: [Namespace]
    /// The status text of the app when it has just started.
    let statusText: String
    let configuration: VirtualAppConfiguration

    /// Completes a configuration (protocol notes, 5.7).
    init(_ configuration: VirtualAppConfiguration) {
        let id = AppID(rawValue: configuration.id)
        let name = configuration.name.flatMap { $0.isEmpty ? nil : $0 } ?? Self.names[id] ?? configuration.id
        self.id = id
        self.androidID = id == .youTube && configuration.kind == .androidTV ? .youTubeAndroidTV : id
        self.displayName = name
        self.namespaces = Self.namespaces(of: configuration)
        // Senders of DashCast wait for these very words before they send it a page.
        self.statusText = configuration.statusText ?? (id == .dashCast ? "Application ready" : name)
        self.configuration = configuration
    }

    static let idleScreen = AppProfile(
        VirtualAppConfiguration(id: AppID.backdrop.rawValue) {
            $0.name = "Backdrop"
            $0.statusText = ""
        })

    var isIdleScreen: Bool { self.id == .backdrop && self.configuration.isPreset }

    func matches(_ id: AppID) -> Bool { self.id == id || self.androidID == id }

    private static let names: [AppID: String] = [
        .defaultMediaReceiver: "Default Media Receiver", .dashCast: "DashCast", .youTube: "YouTube",
        .netflix: "Netflix", .audible: "Audible", .homeAssistantDashboard: "Home Assistant Lovelace",
        .homeAssistantMedia: "Home Assistant Media",
    ]

    private static func namespaces(of configuration: VirtualAppConfiguration) -> [Namespace] {
        let id = AppID(rawValue: configuration.id)
        var namespaces: [Namespace] = [.cac, .debugOverlay]
        if configuration.player != .none { namespaces.append(.media) }
        if id == .defaultMediaReceiver { namespaces.append(.broadcast) }
        if id == .dashCast { namespaces.append("urn:x-cast:com.madmod.dashcast") }
        for name in configuration.namespaces.map(Namespace.init(rawValue:)) where !namespaces.contains(name) {
            namespaces.append(name)
        }
        return namespaces
    }
}
