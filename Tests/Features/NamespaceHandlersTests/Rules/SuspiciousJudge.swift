import CastWire
import GatewayConfig
import GatewayCore

@testable import NamespaceHandlers

/// Judges a message by how it was written, without reading its bytes: every device that could read it is imagined, and a
/// condition may hold when it does for one of them.
struct SuspiciousJudge {
    /// For how many of the imagined devices something holds.
    enum Opinion: Int {
        case never, perhaps, surely

        init(_ holds: Bool) { self = holds ? .surely : .never }
    }

    /// What becomes of a message.
    enum Outcome: Equatable {
        /// Untouched.
        case passes
        /// With these members.
        case passesChanged([RuleMessage.Member])
        case refused
        case dropped
        /// It goes to this handler, with these members when rules have changed it.
        case handedOver(String, [RuleMessage.Member]?)
    }

    let message: RuleMessage

    /// What devices may read; nil stands for anything at all.
    private typealias Readings = Set<String>?

    func mayHold(_ condition: RoutingCondition) -> Bool { self.opinion(of: condition, forAll: false) != .never }

    /// - Parameter isForAll: whether all apps that the message concerns have to fit, to the letter.
    func opinion(of condition: RoutingCondition, forAll isForAll: Bool) -> Opinion {
        let opinions = [
            self.isIn(condition.namespace, condition.notNamespace),
            Opinion(Self.fits("test", condition.device, condition.notDevice)),
            self.isFrom(condition.from, condition.notFrom),
            self.isCalled(condition.senderName, condition.notSenderName),
            self.isDuring(condition.during, condition.notDuring), self.isBy(condition.sender, condition.notSender),
            self.hasType(condition.type, condition.notType),
            self.concerns(condition.app, condition.notApp, all: isForAll),
        ]
        return opinions.min { $0.rawValue < $1.rawValue } ?? .surely
    }

    /// What rules without rates make of the message.
    func outcome(of rules: [RoutingRule], spent: Set<String> = [], isChanged: Bool = false) -> Outcome {
        for rule in rules where !spent.contains(rule.name) {
            let opinion = self.opinion(of: rule.condition, forAll: rule.action == .allow)
            switch (rule.action, opinion) {
            case (_, .never), (.allow, .perhaps): continue
            case (.allow, .surely): return isChanged ? .passesChanged(self.message.members) : .passes
            case (.drop, _): return .dropped
            case (.reject, _), (.rewrite, .perhaps), (.limit, .perhaps), (.forwardTo, .perhaps): return .refused
            case (.forwardTo, .surely):
                return .handedOver(rule.handler ?? "", isChanged ? self.message.members : nil)
            case (.limit, .surely):
                // A SET_VOLUME that cannot be told from other messages may ask for too much.
                let mayBeLimited = [.receiver, .media].contains(self.message.namespace)
                if mayBeLimited, self.hasType(["SET_VOLUME"], nil) == .perhaps { return .refused }
            case (.rewrite, .surely):
                guard self.isDistorted != true else { return .refused }
                guard self.isDistorted == nil else { continue }
                guard let members = self.members(after: rule) else { return .refused }
                if members == self.message.members { continue }
                return SuspiciousJudge(message: self.message.carrying(members))
                    .outcome(of: rules, spent: spent.union([rule.name]), isChanged: true)
            }
        }
        return isChanged ? .passesChanged(self.message.members) : .passes
    }

    /// The members after a rule whose pointers have one name, and whose values are texts; nil when readers may see others.
    private func members(after rule: RoutingRule) -> [RuleMessage.Member]? {
        var members = self.message.members
        let changes =
            (rule.remove ?? []).map { ($0, String?.none) } + (rule.set ?? []).map { ($0.key, $0.value.stringValue) }
        for (pointer, value) in changes {
            let name = String(pointer.dropFirst())
            let places = members.indices.filter { members[$0].name == name }
            guard places.count <= 1, !places.contains(where: { members[$0].isCut }) else { return nil }
            guard let value else {
                members = members.filter { $0.name != name }
                continue
            }
            let member = RuleMessage.Member(name: name, isCut: false, value: .text(value))
            if let place = places.first { members[place] = member } else { members.append(member) }
        }
        return members
    }

    // MARK: What is not in the payload

    /// A text as a pattern describes it: the text itself, or all that begins with what stands before a star.
    private static func isLike(_ text: String, _ pattern: Glob) -> Bool {
        pattern.pattern.hasSuffix("*") ? text.hasPrefix(pattern.pattern.dropLast()) : text == pattern.pattern
    }

    private static func fits(_ text: String, _ wanted: [Glob]?, _ others: [Glob]?) -> Bool {
        (wanted?.contains { self.isLike(text, $0) } ?? true) && !(others?.contains { self.isLike(text, $0) } ?? false)
    }

    private func isIn(_ wanted: [NamespacePattern]?, _ others: [NamespacePattern]?) -> Opinion {
        func isOne(of patterns: [NamespacePattern]) -> Bool {
            patterns.contains { pattern in
                switch pattern {
                case .any: true
                case .exact(let namespace): namespace.rawValue == self.message.namespace.rawValue
                case .prefix(let prefix): self.message.namespace.rawValue.starts(with: prefix)
                }
            }
        }
        return Opinion(wanted.map(isOne) ?? true && !(others.map(isOne) ?? false))
    }

    private func isFrom(_ wanted: [MessageSource]?, _ others: [MessageSource]?) -> Opinion {
        if wanted == nil && others == nil { return .surely }
        guard self.message.hasConnection else { return .never }
        let source = self.message.plugin.map { "plugin:\($0)" } ?? "sender"
        return Opinion(
            Self.fits(source, wanted?.map { Glob($0.description) }, others?.map { Glob($0.description) }))
    }

    /// For each of the times that conditions may have, whether it is one at each of the instants.
    private static let times = [
        "Mon-Fri 08:00-16:00": [true, false, false, false, false],
        "Sat 22:00-02:00": [false, true, true, false, false],
        "Sun": [false, false, true, true, false],
    ]

    private func isDuring(_ wanted: [WeekTimes]?, _ others: [WeekTimes]?) -> Opinion {
        func isOne(of times: [WeekTimes]) -> Bool {
            times.contains { Self.times[$0.description]?[self.message.instant] ?? false }
        }
        return Opinion(wanted.map(isOne) ?? true && !(others.map(isOne) ?? false))
    }

    private func isBy(_ wanted: [AddressRange]?, _ others: [AddressRange]?) -> Opinion {
        if wanted == nil && others == nil { return .surely }
        let range: String
        switch self.message.address {
        case nil: return .never
        case "unknown": return .perhaps
        case "192.0.2.7", "::ffff:192.0.2.7": range = "192.0.2.0/24"
        case "2001:db8::7": range = "2001:db8::/32"
        default: range = "none of them"
        }
        func isOne(of ranges: [AddressRange]) -> Bool { ranges.contains { $0.description == range } }
        return Opinion(wanted.map(isOne) ?? true && !(others.map(isOne) ?? false))
    }

    private func isCalled(_ wanted: [Glob]?, _ others: [Glob]?) -> Opinion {
        if wanted == nil && others == nil { return .surely }
        // Who has no connection of its own has sent no CONNECT.
        if self.message.plugin != nil || !self.message.hasConnection { return .never }
        let introduction = self.message.introduction
        if introduction.isUnreadable { return .perhaps }
        if introduction.names.isEmpty { return .never }
        func isOne(of patterns: [Glob]) -> Bool {
            patterns.contains { pattern in introduction.names.contains { Self.isLike($0, pattern) } }
        }
        return Opinion(wanted.map(isOne) ?? true && !(others.map(isOne) ?? false))
    }

    // MARK: Type

    /// True when some reader finds an object; false when none finds one, nil when all find the one that was written.
    private var isDistorted: Bool? {
        switch self.message.shape {
        case .plain, .blanks, .deep: nil
        case .byteOrderMark, .nul, .comment, .garbage, .unfinished, .deepest, .notUTF8, .binary: true
        case .words, .list: false
        }
    }

    /// The texts that may stand under a name; empty when nothing does.
    private func readings(of name: String) -> Readings {
        if let isDistorted { return isDistorted ? nil : [] }
        let members = self.message.members.filter { $0.name == name }
        if members.isEmpty { return [] }
        guard members.count == 1, !members[0].isCut, case .text(let text) = members[0].value else { return nil }
        return [text]
    }

    private func hasType(_ wanted: [Glob]?, _ others: [Glob]?) -> Opinion {
        if wanted == nil && others == nil { return .surely }
        guard var types = self.readings(of: "type") else { return .perhaps }
        if types.isEmpty {
            guard let older = self.readings(of: "responseType") else { return .perhaps }
            types = older
        }
        return Opinion(types.contains { Self.fits($0, wanted, others) })
    }

    // MARK: Apps

    /// The ids of each app that is concerned, and whether there may be others.
    private struct Apps {
        var known: [Set<String>] = []
        var mayBeOthers = false
    }

    private func concerns(_ wanted: [Glob]?, _ others: [Glob]?, all isForAll: Bool) -> Opinion {
        if wanted == nil && others == nil { return .surely }
        func isOne(_ ids: Set<String>, of apps: [Glob], toTheLetter: Bool) -> Bool {
            ids.contains { id in
                apps.contains {
                    toTheLetter ? Self.isLike(id, $0) : Self.isLike(id.lowercased(), Glob($0.pattern.lowercased()))
                }
            }
        }
        func fits(_ ids: Set<String>) -> Bool {
            wanted.map { isOne(ids, of: $0, toTheLetter: isForAll) } ?? true
                && !(others.map { isOne(ids, of: $0, toTheLetter: !isForAll) } ?? false)
        }
        let apps = self.apps
        if isForAll {
            if apps.known.isEmpty && !apps.mayBeOthers || !apps.known.allSatisfy(fits) { return .never }
            return apps.mayBeOthers ? .perhaps : .surely
        }
        if apps.known.contains(where: fits) { return .surely }
        return apps.mayBeOthers ? .perhaps : .never
    }

    private var apps: Apps {
        let isPlatform = self.message.destination.rawValue == "receiver-0"
        if self.message.namespace == .receiver { return self.requested(isPlatform: isPlatform) }
        if self.message.namespace == .broadcast, self.isDistorted == true { return Apps(mayBeOthers: true) }
        if self.message.namespace == .broadcast, self.isDistorted == nil,
            self.message.members.contains(where: { $0.name == "appIds" })
        {
            let members = self.message.members.filter { $0.name == "appIds" }
            guard members.count == 1, !members[0].isCut, case .other(let json) = members[0].value else {
                return Apps(mayBeOthers: true)
            }
            switch json {
            case "[]": return Apps()
            case #"["AAAA0001"]"#: return Apps(known: [["AAAA0001"]])
            case #"["AAAA0009","AAAA0002"]"#: return Apps(known: [["AAAA0009"], ["AAAA0002"]])
            default: return Apps(mayBeOthers: true)
            }
        }
        return isPlatform ? Apps() : self.addressed
    }

    private var addressed: Apps {
        if self.message.destination.rawValue == "*" { return self.all }
        let session = self.message.running.sessions.first { $0.transportID == self.message.destination }
        return session.map { Apps(known: [Self.ids($0)]) } ?? Apps(mayBeOthers: true)
    }

    private var all: Apps {
        Apps(known: self.message.running.sessions.map(Self.ids), mayBeOthers: !self.message.running.isComplete)
    }

    private func requested(isPlatform: Bool) -> Apps {
        var apps = isPlatform || self.message.destination.rawValue == "*" ? Apps() : self.addressed
        if self.isDistorted == false { return apps }
        guard let types = self.readings(of: "type") else {
            apps.mayBeOthers = true
            return apps
        }
        let type = types.first ?? ""
        if ["GET_STATUS", "GET_APP_AVAILABILITY", "SET_VOLUME"].contains(type) { return apps }
        if type != "STOP" {
            if let launched = self.readings(of: "appId") {
                apps.known += launched.map { [$0] }
            } else {
                apps.mayBeOthers = true
            }
            if type == "LAUNCH" || !self.message.members.contains(where: { $0.name == "sessionId" }) { return apps }
        }
        let stopped = self.stopped
        apps.known += stopped.known
        apps.mayBeOthers = apps.mayBeOthers || stopped.mayBeOthers
        return apps
    }

    private var stopped: Apps {
        let sessions = self.message.members.filter { $0.name == "sessionId" }
        let isBare =
            sessions.isEmpty || sessions.count == 1 && !sessions[0].isCut && sessions[0].value == .other("null")
        if isBare { return self.all }
        guard let id = self.readings(of: "sessionId")?.first,
            let session = self.message.running.sessions.first(where: {
                [$0.sessionID, $0.transportID.rawValue].contains(id)
            })
        else { return Apps(mayBeOthers: true) }
        return Apps(known: [Self.ids(session)])
    }

    private static func ids(_ session: SessionFacts) -> Set<String> {
        Set([session.appID.rawValue, session.universalAppID?.rawValue].compactMap(\.self))
    }
}
