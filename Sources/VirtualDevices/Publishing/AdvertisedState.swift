import CastDiscovery
import CastWire

/// What a virtual device's announcement says of the app that runs (protocol notes, 1.2 and 1.4).
struct AdvertisedState: Hashable, Sendable {
    /// Nothing runs.
    static let idle = AdvertisedState(activity: .idle, statusText: "", subtypes: [])
    /// An app with more namespaces is found by those that it names first.
    private static let maximumNamespaces = 16

    let activity: DeviceActivity
    let statusText: String
    /// The app's id and its namespaces.
    let subtypes: [ServiceSubtype]

    private init(activity: DeviceActivity, statusText: String, subtypes: [ServiceSubtype]) {
        self.activity = activity
        self.statusText = statusText
        self.subtypes = subtypes
    }

    /// Reads a status; the idle screen is no app.
    init(_ status: ReceiverStatus) {
        guard let app = status.applications.first(where: { !$0.isIdleScreen }) else {
            self = .idle
            return
        }
        let ids = [app.appID, app.universalAppID].compactMap(\.self).filter(\.isValid)
        let all =
            ids.compactMap { ServiceSubtype(app: $0) }
            + app.namespaces.prefix(Self.maximumNamespaces).map { ServiceSubtype(namespace: $0) }
        var seen: Set<ServiceSubtype> = []
        self.init(
            activity: .busy, statusText: app.statusText ?? app.displayName ?? "",
            subtypes: all.filter { seen.insert($0).inserted })
    }
}
