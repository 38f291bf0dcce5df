extension ConfigSection {
    /// Reports when one time of the section does not exceed another, at whichever of the two is written.
    ///
    /// - Parameters:
    ///   - longer: The key of the time that must be the longer one.
    ///   - shorter: The key of the other.
    ///   - orEqual: Whether the two may be equal.
    ///   - problems: Receives the problem.
    public func requireDuration(
        _ longer: String,
        exceeds shorter: String,
        orEqual: Bool = false,
        problems: inout ConfigProblems
    ) {
        guard self.isValid(longer), self.isValid(shorter) else { return }
        let (long, short) = (self.duration(longer), self.duration(shorter))
        guard long < short || (long == short && !orEqual) else { return }
        let place = self.isWritten(longer) ? longer : shorter
        let relation = orEqual ? "at least" : "longer than"
        let described = { (name: String, value: Duration) in
            self.isWritten(name) ? "\(value.configText)" : "\(value.configText) by default"
        }
        problems.add(
            .inconsistent,
            at: self.location(place),
            "'\(self.path(longer))' (\(described(longer, long))) must be \(relation) '\(shorter)' (\(described(shorter, short)))"
        )
    }

    /// Reports when only one of two keys that belong together is written.
    public func requireTogether(_ first: String, _ second: String, problems: inout ConfigProblems) {
        for (present, absent) in [(first, second), (second, first)] where self.has(present) && !self.has(absent) {
            problems.add(
                .inconsistent,
                at: self.location(present),
                "'\(self.path(present))' needs '\(absent)' beside it",
                hint: "give both or neither"
            )
        }
    }
}
