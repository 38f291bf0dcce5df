import CastWire
import GatewayConfig
import GatewayCore

@testable import NamespaceHandlers

/// Judges a message by how it was written, without reading its bytes: every device that could read it is imagined, and a
/// condition may hold when it does for one of them.
struct SuspiciousJudge {
    let message: RuleMessage

    /// What devices may read; nil stands for anything at all.
    private typealias Readings = Set<String>?

    func mayHold(_ condition: RoutingCondition) -> Bool {
        self.mayBeIn(condition.namespace) && (condition.device ?? "test") == "test" && self.mayBeFrom(condition.sender)
            && self.mayBe(condition.type) && self.mayConcern(condition.app, condition.appNotIn)
    }

    private func mayBeIn(_ pattern: NamespacePattern?) -> Bool {
        switch pattern {
        case nil, .any?: true
        case .exact(let namespace)?: namespace.rawValue == self.message.namespace.rawValue
        case .prefix(let prefix)?: self.message.namespace.rawValue.starts(with: prefix)
        }
    }

    private func mayBeFrom(_ range: AddressRange?) -> Bool {
        guard let range else { return true }
        switch self.message.address {
        case nil: return false
        case "unknown": return true
        case "192.0.2.7", "::ffff:192.0.2.7": return range.description == "192.0.2.0/24"
        default: return false
        }
    }

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

    private func mayBe(_ type: String?) -> Bool {
        guard let type else { return true }
        guard let types = self.readings(of: "type") else { return true }
        guard types.isEmpty else { return types.contains(type) }
        return self.readings(of: "responseType")?.contains(type) ?? true
    }

    // MARK: Apps

    private func mayConcern(_ app: String?, _ others: [String]?) -> Bool {
        if app == nil && others == nil { return true }
        guard let apps = self.apps else { return true }
        return apps.contains { ids in
            (app.map { app in ids.contains { $0.lowercased() == app.lowercased() } } ?? true)
                && (others.map { Set($0).isDisjoint(with: ids) } ?? true)
        }
    }

    /// The ids of each app that may be concerned; nil for any app.
    private var apps: [Set<String>]? {
        let isPlatform = self.message.destination.rawValue == "receiver-0"
        let all = self.message.running.isComplete ? self.message.running.sessions.map(Self.ids) : nil
        if self.message.namespace == .receiver { return self.requested(isPlatform: isPlatform, all: all) }
        if self.message.namespace == .broadcast, self.isDistorted == true { return nil }
        if self.message.namespace == .broadcast, self.isDistorted == nil,
            self.message.members.contains(where: { $0.name == "appIds" })
        {
            let members = self.message.members.filter { $0.name == "appIds" }
            guard members.count == 1, !members[0].isCut, case .other(let json) = members[0].value else { return nil }
            switch json {
            case "[]": return []
            case #"["AAAA0001"]"#: return [["AAAA0001"]]
            case #"["AAAA0009","AAAA0002"]"#: return [["AAAA0009"], ["AAAA0002"]]
            default: return nil
            }
        }
        return isPlatform ? [] : self.addressed(all: all)
    }

    private func addressed(all: [Set<String>]?) -> [Set<String>]? {
        // Of what runs beside the unknown, a match is as good as a doubt.
        if self.message.destination.rawValue == "*" { return all }
        let session = self.message.running.sessions.first { $0.transportID == self.message.destination }
        return session.map { [Self.ids($0)] }
    }

    private func requested(isPlatform: Bool, all: [Set<String>]?) -> [Set<String>]? {
        var sum: [Set<String>] = []
        if !isPlatform, self.message.destination.rawValue != "*" {
            guard let addressed = self.addressed(all: all) else { return nil }
            sum = addressed
        }
        guard let types = self.readings(of: "type") else { return nil }
        if self.isDistorted == false { return sum }
        let type = types.first ?? ""
        if ["GET_STATUS", "GET_APP_AVAILABILITY", "SET_VOLUME"].contains(type) { return sum }
        if type != "STOP" {
            guard let launched = self.readings(of: "appId") else { return nil }
            sum += launched.map { [$0] }
            if type == "LAUNCH" || !self.message.members.contains(where: { $0.name == "sessionId" }) { return sum }
        }
        let sessions = self.message.members.filter { $0.name == "sessionId" }
        let isBare =
            sessions.isEmpty || sessions.count == 1 && !sessions[0].isCut && sessions[0].value == .other("null")
        if isBare { return all.map { sum + $0 } }
        guard let id = self.readings(of: "sessionId")?.first,
            let session = self.message.running.sessions.first(where: {
                [$0.sessionID, $0.transportID.rawValue].contains(id)
            })
        else { return nil }
        return sum + [Self.ids(session)]
    }

    private static func ids(_ session: SessionFacts) -> Set<String> {
        Set([session.appID.rawValue, session.universalAppID?.rawValue].compactMap(\.self))
    }
}
