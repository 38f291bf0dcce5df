public import CastWire
import GatewayConfig
public import GatewayCore
import Synchronization

/// What launches follow now: `launch` of `gateway.yaml`, and the credentials that were set while the gateway runs.
///
/// What is set here holds for the next launch or join. An app that runs does not learn of it, as in the Cast SDKs; the event
/// ``GatewayEvent/credentialsPending(app:)`` says that something waits. It outlives a reload, and ends with the process.
public final class LaunchSettings: Sendable {
    private enum Override: Equatable {
        case set(LaunchCredentials)
        /// No credentials, whatever the configuration says.
        case cleared

        /// What is to be sent.
        var credentials: LaunchCredentials? {
            switch self {
            case .set(let credentials): credentials
            case .cleared: nil
            }
        }
    }

    private struct State {
        var configuration: LaunchConfiguration
        /// By app id; nil stands for every app without credentials of its own.
        var overrides: [AppID?: Override] = [:]
        /// For which apps something was set that no launch has carried yet.
        var pending: Set<AppID?> = []
    }

    /// How many apps may have credentials that were set at run time.
    public static let maximumOverrides = 256

    private let state: Mutex<State>
    private let events: EventBus?

    /// Begins with a configuration.
    /// - Parameter events: where changes are published; nil for settings that do not change.
    public init(_ configuration: LaunchConfiguration, events: EventBus? = nil) {
        self.state = Mutex(State(configuration: configuration))
        self.events = events
    }

    /// The configuration in force, without what was set since.
    public var configuration: LaunchConfiguration { self.state.withLock { $0.configuration } }

    /// Takes another configuration; what was set at run time stays.
    public func configure(_ configuration: LaunchConfiguration) {
        self.state.withLock { $0.configuration = configuration }
    }

    // MARK: Credentials at run time

    /// Sets the credentials of the next launches.
    /// - Parameter app: whose; nil for every app without credentials of its own.
    /// - Returns: false when too many apps have some already.
    @discardableResult
    public func setCredentials(_ credentials: LaunchCredentials, for app: AppID? = nil) -> Bool {
        self.override(app, with: .set(credentials))
    }

    /// Launches without credentials from now on, whatever the configuration says.
    /// - Parameter app: which; nil for every app without credentials of its own.
    /// - Returns: false when too many apps have some already.
    @discardableResult
    public func clearCredentials(for app: AppID? = nil) -> Bool {
        self.override(app, with: .cleared)
    }

    /// Goes back to what the configuration says.
    public func resetCredentials(for app: AppID? = nil) {
        let hadSome = self.state.withLock { state in
            state.pending.remove(app)
            return state.overrides.removeValue(forKey: app) != nil
        }
        if hadSome { self.events?.publish(.credentialsPending(app: app)) }
    }

    /// Whether something was set for an app that no launch has carried yet.
    public func isPending(for app: AppID? = nil) -> Bool {
        self.state.withLock { $0.pending.contains(app) }
    }

    private func override(_ app: AppID?, with value: Override) -> Bool {
        let isTaken = self.state.withLock { state in
            guard state.overrides[app] != nil || state.overrides.count < Self.maximumOverrides else { return false }
            state.overrides[app] = value
            state.pending.insert(app)
            return true
        }
        if isTaken { self.events?.publish(.credentialsPending(app: app)) }
        return isTaken
    }

    // MARK: What launches ask

    /// The credentials of a launch of an app: those set for it, those configured for it, or the same of all others.
    public func credentials(for app: AppID) -> LaunchCredentials? {
        self.state.withLock { Self.credentials(for: app, in: $0) }
    }

    /// The credentials of a launch that is about to be sent; nothing waits for it any more.
    public func credentialsForLaunch(of app: AppID) -> LaunchCredentials? {
        self.state.withLock { state in
            state.pending.remove(app)
            let isOwn = state.overrides[app] != nil || state.configuration.appCredentials[app.rawValue] != nil
            if !isOwn { state.pending.remove(nil) }
            return Self.credentials(for: app, in: state)
        }
    }

    private static func credentials(for app: AppID, in state: State) -> LaunchCredentials? {
        if let own = state.overrides[app] { return own.credentials }
        if let own = state.configuration.appCredentials[app.rawValue] { return own }
        if let common = state.overrides[nil] { return common.credentials }
        return state.configuration.defaultCredentials
    }

    /// Fills the credentials into a LOAD that has none, if they are meant for that.
    /// - Parameters:
    ///   - app: the app that loads, by the ids that it goes by: on Android TV the web app's id counts, else its own.
    ///   - isAndroidTV: whether it is an Android TV app, which has credentials of its own.
    /// - Returns: true when something was filled in.
    public func fill(_ request: inout LoadRequest, for app: [AppID], isAndroidTV: Bool) -> Bool {
        guard let credentials = self.loadCredentials(for: app), credentials.appliesToLoad else { return false }
        let before = request
        if request.json["credentials"] == nil {
            request.credentials = credentials.credentials.reveal()
            if request.json["credentialsType"] == nil { request.credentialsType = credentials.type }
        }
        if isAndroidTV, let own = credentials.androidTVCredentials, request.json["atvCredentials"] == nil {
            request.atvCredentials = own.reveal()
            if request.json["atvCredentialsType"] == nil { request.atvCredentialsType = credentials.androidTVType }
        }
        return request != before
    }

    /// Of several ids of one app, the one with credentials of its own decides.
    private func loadCredentials(for app: [AppID]) -> LaunchCredentials? {
        self.state.withLock { state in
            let own = app.first { id in
                state.overrides[id] != nil || state.configuration.appCredentials[id.rawValue] != nil
            }
            return (own ?? app.first).flatMap { Self.credentials(for: $0, in: state) }
        }
    }

    /// Whether any LAUNCH may have to be changed, now or after a change at run time.
    var mayChangeLaunches: Bool {
        if self.events != nil { return true }
        let configuration = self.configuration
        return configuration.androidReceiverCompatible || configuration.language != nil
            || configuration.defaultCredentials != nil || !configuration.appCredentials.isEmpty
    }

    /// Whether any LOAD may have to be changed, now or after a change at run time.
    var mayChangeLoads: Bool {
        if self.events != nil { return true }
        let configuration = self.configuration
        let all = configuration.appCredentials.values + [configuration.defaultCredentials].compactMap(\.self)
        return all.contains { $0.appliesToLoad }
    }
}
