/// What one check of `castway doctor` found out about one thing.
struct DoctorFinding: Sendable, Equatable {
    /// How bad it is, from good to bad.
    enum Level: String, Sendable, Comparable, CaseIterable {
        /// As it should be.
        case ok
        /// It works, and may not for long or not for everybody.
        case warn
        /// It does not work.
        case fail

        static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .warn: 1
            case .fail: 2
            }
        }
    }

    let level: Level
    /// What was looked at: `state directory`, `port 8009`.
    let subject: String
    /// What was seen, in half a sentence.
    let seen: String
    /// What to do about it; empty when there is nothing to do.
    let advice: String

    static func ok(_ subject: String, _ seen: String) -> DoctorFinding {
        DoctorFinding(level: .ok, subject: subject, seen: seen, advice: "")
    }

    static func warn(_ subject: String, _ seen: String, advice: String) -> DoctorFinding {
        DoctorFinding(level: .warn, subject: subject, seen: seen, advice: advice)
    }

    static func fail(_ subject: String, _ seen: String, advice: String) -> DoctorFinding {
        DoctorFinding(level: .fail, subject: subject, seen: seen, advice: advice)
    }
}
