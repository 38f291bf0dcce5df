import CastWire
import GatewayCore

/// The apps that a message launches, stops or is addressed to, as conditions on apps see them.
struct ConcernedApps: Equatable {
    /// The apps that are known; each by all its ids, since an Android app has the web app's beside its own.
    var known: [[AppID]] = []
    /// Why there may be others; nil when there are none.
    var doubt: String?

    static let none = ConcernedApps()

    init(known: [[AppID]] = [], doubt: String? = nil) {
        self.known = known
        self.doubt = doubt
    }

    init(_ session: SessionFacts) {
        self.known = [[session.appID, session.universalAppID].compactMap(\.self)]
    }

    init(_ running: RunningApps) {
        self.known = running.sessions.map { [$0.appID, $0.universalAppID].compactMap(\.self) }
        self.doubt = running.isComplete ? nil : "not all that runs is known"
    }

    mutating func add(_ other: ConcernedApps) {
        self.known += other.known
        self.doubt = self.doubt ?? other.doubt
    }

    /// Whether one of the apps is this one, and none of those.
    func judge(is wanted: String?, isNoneOf others: [String]?) -> Judgement {
        for ids in self.known {
            // A device may take an id in another spelling for the app's; a list that lets apps through means what it says.
            let isWanted = wanted.map { wanted in ids.contains { Self.bare($0.rawValue) == Self.bare(wanted) } } ?? true
            let isOther = others.map { others in !ids.contains { others.contains($0.rawValue) } } ?? true
            if isWanted && isOther { return .holds }
        }
        return self.doubt.map(Judgement.unclear) ?? .fails
    }

    /// An id without what readers overlook: letters in upper case, and digits.
    private static func bare(_ id: String) -> String {
        String(id.uppercased().unicodeScalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil })
    }
}
