import CastWire
import GatewayConfig
import GatewayCore

/// What rules ask of one message. The payload is read, and the apps are sought, when the first rule needs it.
struct MessageFacts {
    let message: RoutedMessage
    private let running: () -> RunningApps
    private lazy var reading: PayloadReading = PayloadReading(self.message.message.payload)
    private lazy var apps: ConcernedApps = self.findApps()

    /// - Parameter running: what runs behind the device.
    init(_ message: RoutedMessage, running: @escaping () -> RunningApps) {
        self.message = message
        self.running = running
    }

    /// Whether a condition holds; it does when everything that it names does.
    mutating func judge(_ condition: RoutingCondition) -> Judgement {
        if let namespace = condition.namespace, !namespace.matches(self.message.message.namespace) { return .fails }
        if let device = condition.device, device != self.message.device.name { return .fails }
        var judgement = self.judgeSender(condition)
        if judgement != .fails { judgement = judgement.and(self.judgeApps(condition)) }
        if judgement != .fails { judgement = judgement.and(self.judgeType(condition)) }
        return judgement
    }

    // MARK: The parts of a condition

    private func judgeSender(_ condition: RoutingCondition) -> Judgement {
        // An internal sender has no address, and so is in no range.
        guard let range = condition.sender, let text = self.message.senderAddress else {
            return condition.sender == nil ? .holds : .fails
        }
        guard let address = IPAddress(text) else { return .unclear("the sender's address is not known") }
        return range.contains(address) ? .holds : .fails
    }

    private mutating func judgeType(_ condition: RoutingCondition) -> Judgement {
        guard let wanted = condition.type else { return .holds }
        switch self.reading {
        case .unreadable(let reason): return .unclear(reason)
        case .noMembers: return .fails
        case .object(let members):
            let isOld = members.type == .absent
            switch Self.text(isOld ? members.responseType : members.type, isOld ? "responseType" : "type") {
            case .success(let type): return type == wanted ? .holds : .fails
            case .failure(let doubt): return .unclear(doubt.reason)
            }
        }
    }

    private mutating func judgeApps(_ condition: RoutingCondition) -> Judgement {
        guard condition.app != nil || condition.appNotIn != nil else { return .holds }
        return self.apps.judge(is: condition.app, isNoneOf: condition.appNotIn)
    }

    // MARK: Apps

    private mutating func findApps() -> ConcernedApps {
        let message = self.message.message
        if message.family == .receiver { return self.requestedApps() }
        guard message.namespace == .broadcast else { return self.addressedApps() }
        switch self.reading {
        case .unreadable(let reason): return ConcernedApps(doubt: reason)
        case .object(let members) where members.appIDs != .absent: return Self.listedApps(members.appIDs)
        case .object, .noMembers: return self.addressedApps()
        }
    }

    /// The app at the message's destination, or all that it reaches.
    private func addressedApps() -> ConcernedApps {
        switch self.message.message.destination {
        case .platformReceiver: return self.message.session.map { ConcernedApps($0) } ?? .none
        case .broadcast: return ConcernedApps(self.running())
        default:
            guard let session = self.message.session else {
                return ConcernedApps(doubt: "the app that it is addressed to is not known")
            }
            return ConcernedApps(session)
        }
    }

    /// The app that a request to the platform is about, and that of its destination, should it be an app's.
    private mutating func requestedApps() -> ConcernedApps {
        let message = self.message.message
        var apps = message.isToPlatform || message.isBroadcast ? ConcernedApps.none : self.addressedApps()
        switch self.reading {
        case .unreadable(let reason): apps.add(ConcernedApps(doubt: reason))
        case .noMembers: break
        case .object(let members):
            switch Self.text(members.type, "type").map({ $0.flatMap(ReceiverRequest.Kind.init(rawValue:)) }) {
            case .failure(let doubt): apps.add(ConcernedApps(doubt: doubt.reason))
            case .success(.launch?): apps.add(Self.launchedApp(members))
            case .success(.stop?): apps.add(self.stoppedApps(members))
            case .success(.getStatus?), .success(.getAppAvailability?), .success(.setVolume?): break
            case .success(nil):
                // A request of another platform than this gateway knows.
                apps.add(Self.launchedApp(members))
                if members.sessionID != .absent { apps.add(self.stoppedApps(members)) }
            }
        }
        return apps
    }

    private static func launchedApp(_ members: PayloadMembers) -> ConcernedApps {
        switch Self.text(members.appID, "appId") {
        case .success(nil): .none
        case .success(let id?): ConcernedApps(known: [[AppID(rawValue: id)]])
        case .failure(let doubt): ConcernedApps(doubt: doubt.reason)
        }
    }

    /// The app whose session is to end; without a session id, whatever runs.
    private func stoppedApps(_ members: PayloadMembers) -> ConcernedApps {
        if members.sessionID == .value(.null) { return ConcernedApps(self.running()) }
        switch Self.text(members.sessionID, "sessionId") {
        case .success(nil): return ConcernedApps(self.running())
        case .success(let id?):
            guard let session = self.running().session(id) else {
                return ConcernedApps(doubt: "the session to stop is not known")
            }
            return ConcernedApps(session)
        case .failure(let doubt): return ConcernedApps(doubt: doubt.reason)
        }
    }

    private static func listedApps(_ member: PayloadMembers.Member) -> ConcernedApps {
        switch member {
        case .value(.array(let elements)) where elements.allSatisfy({ $0.stringValue != nil }):
            ConcernedApps(known: elements.compactMap(\.stringValue).map { [AppID(rawValue: $0)] })
        case .ambiguous(let reason): ConcernedApps(doubt: reason)
        case .absent, .value: ConcernedApps(doubt: "'appIds' is no list of texts")
        }
    }

    // MARK: Members

    struct Doubt: Error {
        let reason: String
    }

    /// The text under a name, nil when there is nothing; a failure when another reader may see another text.
    static func text(_ member: PayloadMembers.Member, _ name: String) -> Result<String?, Doubt> {
        switch member {
        case .absent: .success(nil)
        case .value(.string(let text)) where !text.unicodeScalars.contains("\0"): .success(text)
        case .value(.string): .failure(Doubt(reason: "'\(name)' holds NUL"))
        case .value: .failure(Doubt(reason: "'\(name)' is no text"))
        case .ambiguous(let reason): .failure(Doubt(reason: reason))
        }
    }
}

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
