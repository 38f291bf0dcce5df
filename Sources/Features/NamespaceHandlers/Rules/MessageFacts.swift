import CastWire
import GatewayConfig
import GatewayCore

/// The facts of one message for rules. The payload is read, and the apps are sought, when the first rule needs it.
struct MessageFacts {
    /// The type of a message.
    enum TypeReading: Equatable {
        case absent
        /// The same type for every reader.
        case known(String)
        /// It has one, which cannot be told; the text says why.
        case unclear(String)
    }

    private enum Sender {
        case none
        case known(SenderAddress)
        case unclear
    }

    let message: RoutedMessage
    private let time: RuleTime
    private let running: () -> RunningApps
    private let connect: () -> CastMessage?
    private(set) lazy var reading: PayloadReading = PayloadReading(self.message.message.payload)
    /// The message's `type`, or `responseType`.
    private(set) lazy var type: TypeReading = self.readType()
    private lazy var apps: ConcernedApps = self.findApps()
    private lazy var sender: Sender = self.findSender()
    private lazy var senderNames: SenderNames = self.findSenderNames()
    private lazy var secondsSince1970: Int = self.time.secondsSince1970()

    /// - Parameters:
    ///   - time: the clocks; asked when the first rule needs it.
    ///   - running: what runs behind the device.
    ///   - connect: the CONNECT of the message's sender.
    init(
        _ message: RoutedMessage, time: RuleTime = .system, running: @escaping () -> RunningApps,
        connect: @escaping () -> CastMessage? = { nil }
    ) {
        self.message = message
        self.time = time
        self.running = running
        self.connect = connect
    }

    /// Judges a rule that could concern the message's namespace and device: it matches when everything that it names does. A
    /// value that the message does not have fits no condition, also none that is negated.
    /// - Parameter isSure: of several apps all must fit, rather than one, and none by another spelling of its id.
    mutating func judge(_ rule: CompiledRule, surely isSure: Bool) -> Judgement {
        guard self.isFrom(rule) else { return .fails }
        if let week = rule.week {
            let minute = week.clock.minuteOfWeek(secondsSince1970: self.secondsSince1970)
            if let times = week.during, !times.contains(where: { $0.contains(minute: minute) }) { return .fails }
            if let times = week.notDuring, times.contains(where: { $0.contains(minute: minute) }) { return .fails }
        }
        var judgement = self.judgeSender(rule)
        if judgement != .fails { judgement = judgement.and(self.judgeSenderName(rule)) }
        if judgement != .fails { judgement = judgement.and(self.judgeApps(rule, surely: isSure)) }
        if judgement != .fails { judgement = judgement.and(self.judgeType(rule)) }
        return judgement
    }

    // MARK: The parts of a condition

    private func isFrom(_ rule: CompiledRule) -> Bool {
        guard rule.from != nil || rule.notFrom != nil else { return true }
        let origin = self.message.origin
        guard origin != nil || self.message.connection != nil || self.message.leg == .own else { return false }
        func isOne(of sources: [MessageSource]) -> Bool {
            sources.contains { source in
                switch (source, origin?.source) {
                case (.sender, nil): self.message.leg == .sender
                case (.own, nil): self.message.leg == .own
                case (.plugin(let name), .plugin): origin.map { name.matches($0.name) } ?? false
                case (.api, .api), (.mqtt, .mqtt), (.own, .own): true
                default: false
                }
            }
        }
        return rule.from.map(isOne) ?? true && !(rule.notFrom.map(isOne) ?? false)
    }

    private mutating func judgeSender(_ rule: CompiledRule) -> Judgement {
        guard rule.sender != nil || rule.notSender != nil else { return .holds }
        switch self.sender {
        case .none: return .fails
        case .unclear: return .unclear("the sender's address is not known")
        case .known(let address):
            let isOne = rule.sender?.contains(address) ?? true
            let isOther = rule.notSender?.contains(address) ?? false
            return isOne && !isOther ? .holds : .fails
        }
    }

    private mutating func judgeSenderName(_ rule: CompiledRule) -> Judgement {
        guard rule.senderName != nil || rule.notSenderName != nil else { return .holds }
        switch self.senderNames {
        case .none: return .fails
        case .unclear(let reason): return .unclear(reason)
        case .known(let names):
            let isOne = rule.senderName.map { names.contains(where: $0.contains) } ?? true
            let isOther = rule.notSenderName.map { names.contains(where: $0.contains) } ?? false
            return isOne && !isOther ? .holds : .fails
        }
    }

    private mutating func judgeType(_ rule: CompiledRule) -> Judgement {
        guard rule.type != nil || rule.notType != nil else { return .holds }
        switch self.type {
        case .absent: return .fails
        case .known(let type): return rule.concerns(type: type) ? .holds : .fails
        case .unclear(let reason): return .unclear(reason)
        }
    }

    private mutating func judgeApps(_ rule: CompiledRule, surely isSure: Bool) -> Judgement {
        guard rule.app != nil || rule.notApp != nil else { return .holds }
        return isSure
            ? self.apps.judgeAll(rule.app, not: rule.notApp) : self.apps.judgeAny(rule.app, not: rule.notApp)
    }

    // MARK: Type and sender

    private mutating func readType() -> TypeReading {
        switch self.reading {
        case .unreadable(let reason): return .unclear(reason)
        case .noMembers: return .absent
        case .object(let members):
            let isOld = members.type == .absent
            switch Self.text(isOld ? members.responseType : members.type, isOld ? "responseType" : "type") {
            case .success(let type): return type.map(TypeReading.known) ?? .absent
            case .failure(let doubt): return .unclear(doubt.reason)
            }
        }
    }

    private func findSender() -> Sender {
        // Plugins, callers of the gateway and its own sessions have no address.
        guard let text = self.message.senderAddress else { return .none }
        return IPAddress(text).map { .known(SenderAddress($0)) } ?? .unclear
    }

    private func findSenderNames() -> SenderNames {
        // A plugin has not introduced itself, and what a device says comes from no sender.
        guard self.message.origin == nil, self.message.connection != nil else { return .none }
        return SenderNames(self.connect())
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
