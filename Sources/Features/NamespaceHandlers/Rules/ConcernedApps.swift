import CastWire
import GatewayCore

/// The apps that a message launches, stops or is addressed to, as conditions on apps see them.
struct ConcernedApps: Equatable {
    /// The apps that are known; each by all its ids, since an Android app has the web app's beside its own.
    var known: [[AppID]] = []
    /// The reason there may be others; nil when there are none.
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

    /// True if one of the apps is one of those wanted, and none of the others. An id that is spelled in another way is taken
    /// for a wanted one, not for one of the others.
    func judgeAny(_ wanted: AppList?, not others: AppList?) -> Judgement {
        let fits = self.known.contains { ids in
            (wanted?.containsLoosely(ids) ?? true) && !(others?.containsExactly(ids) ?? false)
        }
        return fits ? .holds : self.doubt.map(Judgement.unclear) ?? .fails
    }

    /// True if there are apps, and all of them are one of those wanted, and none of the others. An id that is spelled in another
    /// way is taken for one of the others, not for a wanted one.
    func judgeAll(_ wanted: AppList?, not others: AppList?) -> Judgement {
        let allFit = self.known.allSatisfy { ids in
            (wanted?.containsExactly(ids) ?? true) && !(others?.containsLoosely(ids) ?? false)
        }
        guard allFit, self.doubt == nil else { return allFit ? self.doubt.map(Judgement.unclear) ?? .fails : .fails }
        return self.known.isEmpty ? .fails : .holds
    }
}

/// The judgement whether a condition of the operator's holds for a message.
enum Judgement: Equatable {
    case holds
    /// It does not, however the message is read.
    case fails
    /// It may; the text says why that cannot be told.
    case unclear(String)

    func and(_ other: Judgement) -> Judgement {
        switch (self, other) {
        case (.fails, _), (_, .fails): .fails
        case (.unclear, _): self
        case (.holds, _): other
        }
    }
}
