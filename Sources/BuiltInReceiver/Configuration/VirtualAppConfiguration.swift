/// `virtual_devices[].apps`: one app of a virtual device.
public struct VirtualAppConfiguration: Sendable, Equatable {
    /// The id of the default media receiver.
    public static let defaultMediaReceiver = "CC1AD845"

    /// What answers media requests to the app.
    public enum Player: Sendable, Hashable {
        /// The simulated player.
        case simulated
        /// Nothing: the app has no media namespace of its own.
        case none
        /// A plugin, by the name of its instance: it owns the app's media namespace on this device.
        case plugin(String)
    }

    /// The type reported for an app.
    public enum Kind: String, Sendable, CaseIterable {
        /// A web receiver.
        case web = "WEB"
        /// An Android TV app.
        case androidTV = "ANDROID_TV"
    }

    /// How a launch of the app ends on the built-in receiver.
    public enum LaunchOutcome: String, Sendable, CaseIterable {
        /// The app starts.
        case allow
        /// `LAUNCH_ERROR` with `NOT_FOUND`.
        case notFound = "not_found"
        /// `LAUNCH_ERROR` with `NOT_ALLOWED`.
        case notAllowed = "not_allowed"
        /// `LAUNCH_ERROR` with `CANCELLED`.
        case cancelled
        /// No answer at all.
        case timeout
    }

    /// The app's id, for example `CC1AD845`.
    public var id: String
    /// The name shown to senders; nil leaves it to the receiver platform.
    public var name: String?
    /// The custom namespaces of the app.
    public var namespaces: [String]
    /// What answers media requests.
    public var player: Player
    /// The status text while the app runs; nil leaves it to the receiver platform.
    public var statusText: String?
    /// The reported type. Default `WEB`.
    public var kind: Kind
    /// The address of the app's icon.
    public var iconURL: String?
    /// How a launch ends. Default ``LaunchOutcome/allow``.
    public var launch: LaunchOutcome
    /// The behaviour of the simulated player.
    public var options: SimulationOptions

    /// Makes a configuration from its parts; each but the id has the default of `gateway.yaml` for other apps than media.
    public init(
        id: String,
        name: String? = nil,
        namespaces: [String] = [],
        player: Player = .none,
        statusText: String? = nil,
        kind: Kind = .web,
        iconURL: String? = nil,
        launch: LaunchOutcome = .allow,
        options: SimulationOptions = SimulationOptions()
    ) {
        self.id = id
        self.name = name
        self.namespaces = namespaces
        self.player = player
        self.statusText = statusText
        self.kind = kind
        self.iconURL = iconURL
        self.launch = launch
        self.options = options
    }
}
