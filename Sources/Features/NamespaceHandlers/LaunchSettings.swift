package import CastWire
import GatewayConfig
package import GatewayCore
package import NIOCore
import Synchronization

/// The settings that launches follow now: `launch` of `gateway.yaml`, and the credentials that were set while the gateway
/// runs.
///
/// What is set here holds for the next launch or join. An app that runs does not learn of it, as in the Cast SDKs; the event
/// ``GatewayEvent/credentialsPending(app:)`` says that something waits. It outlives a reload, and ends with the process.
package final class LaunchSettings: Sendable {
    private enum Override: Equatable {
        case set(LaunchCredentials)
        /// No credentials, whatever the configuration says.
        case cleared

        /// The credentials to send.
        var credentials: LaunchCredentials? {
            switch self {
            case .set(let credentials): credentials
            case .cleared: nil
            }
        }
    }

    private struct State {
        var configuration: LaunchConfiguration
        /// The choices in its place.
        var choices = CategoryLaunchChoices()
        /// By app id; nil stands for every app without credentials of its own.
        var overrides: [AppID?: Override] = [:]
        /// The time when each of them was set or cleared.
        var times: [AppID?: NIODeadline] = [:]
        /// For which apps something was set that no launch has carried yet.
        var pending: Set<AppID?> = []
    }

    /// The number of apps that may have credentials that were set at run time.
    package static let maximumOverrides = 256

    private let state: Mutex<State>
    private let events: EventBus?

    /// Begins with a configuration.
    /// - Parameter events: where changes are published; nil for settings that do not change.
    package init(_ configuration: LaunchConfiguration, events: EventBus? = nil) {
        self.state = Mutex(State(configuration: configuration))
        self.events = events
    }

    /// The configuration in force, with what was chosen in its place, and without the credentials that were set since.
    package var configuration: LaunchConfiguration {
        self.state.withLock { state in
            var configuration = state.configuration
            state.choices[nil].apply(to: &configuration)
            return configuration
        }
    }

    /// The configuration in force for the gateway's own sessions with the devices of a category. What is said of the category goes
    /// before what is said of all; of either what was chosen goes before the file.
    package func configuration(for category: DeviceCategory) -> LaunchConfiguration {
        self.state.withLock { state in
            var configuration = state.configuration
            state.choices[nil].apply(to: &configuration)
            state.configuration.categories.first { $0.category == category.rawValue }?.apply(to: &configuration)
            state.choices[category].apply(to: &configuration)
            return configuration
        }
    }

    /// The choices in the place of the configuration for all devices.
    package var choices: LaunchChoices { self.allChoices[nil] }

    /// The choices for all devices and for those of some categories.
    package var allChoices: CategoryLaunchChoices { self.state.withLock { $0.choices } }

    /// The app that was chosen for sessions that name none; nil where the configuration says.
    package var receiverApp: AppID? { self.choices.receiverApp }

    /// Takes other choices, in the place of those before.
    /// - Parameter category: for whose devices; nil for all.
    /// - Returns: the names of those that are not as they were.
    @discardableResult
    package func choose(_ choices: LaunchChoices, for category: DeviceCategory? = nil) -> [LaunchChoices.Key] {
        let changed = self.state.withLock { state in
            let before = state.choices[category]
            state.choices[category] = choices
            return LaunchChoices.Key.allCases.filter { before[$0] != choices[$0] }
        }
        if !changed.isEmpty {
            self.events?.publish(.launchChanged(keys: changed.map(\.rawValue), category: category))
        }
        return changed
    }

    /// Takes another configuration; what was set at run time stays.
    package func configure(_ configuration: LaunchConfiguration) {
        self.state.withLock { $0.configuration = configuration }
    }

    // MARK: Credentials at run time

    /// Sets the credentials of the next launches.
    /// - Parameter app: whose; nil for every app without credentials of its own.
    /// - Returns: false when too many apps have some already.
    @discardableResult
    package func setCredentials(
        _ credentials: LaunchCredentials, for app: AppID? = nil, at now: NIODeadline = .now()
    ) -> Bool {
        self.override(app, with: .set(credentials), at: now)
    }

    /// Launches without credentials from now on, whatever the configuration says.
    /// - Parameter app: which; nil for every app without credentials of its own.
    /// - Returns: false when too many apps have some already.
    @discardableResult
    package func clearCredentials(for app: AppID? = nil, at now: NIODeadline = .now()) -> Bool {
        self.override(app, with: .cleared, at: now)
    }

    package func resetCredentials(for app: AppID? = nil) {
        let hadSome = self.state.withLock { state in
            state.pending.remove(app)
            state.times[app] = nil
            return state.overrides.removeValue(forKey: app) != nil
        }
        if hadSome { self.events?.publish(.credentialsPending(app: app)) }
    }

    /// True if something was set for an app that no launch has carried yet.
    package func isPending(for app: AppID? = nil) -> Bool {
        self.state.withLock { $0.pending.contains(app) }
    }

    /// That there are credentials for an app, and whose word it is; never which.
    package struct CredentialsNote: Hashable, Sendable {
        /// The source of credentials.
        package enum Source: String, Hashable, Sendable, CaseIterable {
            case file
            case set
            /// None are sent, since they were cleared while the gateway runs.
            case cleared
        }

        /// The app; nil for every app without credentials of its own.
        package let app: AppID?
        package let source: Source
        /// The time when they were set or cleared; nil for those of the file.
        package let since: NIODeadline?
        /// True if no launch has carried yet what was set.
        package let isPending: Bool
    }

    /// For which apps there is something to say; every app without credentials of its own comes first.
    package var credentialsNotes: [CredentialsNote] {
        self.state.withLock { state in
            var apps = Set(state.overrides.keys)
            apps.formUnion(state.configuration.appCredentials.keys.map { AppID(rawValue: $0) })
            if state.configuration.defaultCredentials != nil { apps.insert(nil) }
            return apps.sorted { ($0?.rawValue ?? "") < ($1?.rawValue ?? "") }.map { app in
                let source: CredentialsNote.Source =
                    switch state.overrides[app] {
                    case .set: .set
                    case .cleared: .cleared
                    case nil: .file
                    }
                return CredentialsNote(
                    app: app, source: source, since: state.times[app], isPending: state.pending.contains(app))
            }
        }
    }

    private func override(_ app: AppID?, with value: Override, at now: NIODeadline) -> Bool {
        let isTaken = self.state.withLock { state in
            guard state.overrides[app] != nil || state.overrides.count < Self.maximumOverrides else { return false }
            state.overrides[app] = value
            state.times[app] = now
            state.pending.insert(app)
            return true
        }
        if isTaken { self.events?.publish(.credentialsPending(app: app)) }
        return isTaken
    }

    // MARK: What launches ask

    /// The credentials of a launch of an app: those set for it, those configured for it, or the same of all others.
    package func credentials(for app: AppID) -> LaunchCredentials? {
        self.state.withLock { Self.credentials(for: app, in: $0) }
    }

    /// The credentials of a launch that is about to be sent; nothing waits for it any more.
    package func credentialsForLaunch(of app: AppID) -> LaunchCredentials? {
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
    package func fill(_ request: inout LoadRequest, for app: [AppID], isAndroidTV: Bool) -> Bool {
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

    /// True if any LAUNCH may have to be changed, now or after a change at run time.
    var mayChangeLaunches: Bool {
        if self.events != nil { return true }
        let configuration = self.configuration
        return configuration.androidReceiverCompatible || configuration.language != nil
            || configuration.defaultCredentials != nil || !configuration.appCredentials.isEmpty
    }

    /// True if any LOAD may have to be changed, now or after a change at run time.
    var mayChangeLoads: Bool {
        if self.events != nil { return true }
        let configuration = self.configuration
        let all = configuration.appCredentials.values + [configuration.defaultCredentials].compactMap(\.self)
        return all.contains { $0.appliesToLoad }
    }
}
