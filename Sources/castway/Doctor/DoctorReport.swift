import CastWire

/// Everything that the checks found.
struct DoctorReport: Sendable {
    /// A check with its findings.
    struct Section: Sendable {
        let check: String
        let findings: [DoctorFinding]
    }

    private(set) var sections: [Section] = []

    mutating func add(_ findings: [DoctorFinding], of check: String) {
        self.sections.append(Section(check: check, findings: findings))
    }

    /// The worst of all; `ok` without any.
    var worst: DoctorFinding.Level {
        self.sections.flatMap(\.findings).map(\.level).max() ?? .ok
    }

    /// How many findings there are of a level.
    func count(of level: DoctorFinding.Level) -> Int {
        self.sections.flatMap(\.findings).count { $0.level == level }
    }

    /// For people: a line for each finding, what to do about it below.
    var lines: [String] {
        var lines: [String] = []
        for section in self.sections {
            lines.append(section.check)
            for finding in section.findings {
                lines.append("  \(finding.level.rawValue.padded(to: 4))  \(finding.subject): \(finding.seen)")
                if !finding.advice.isEmpty { lines.append("        \(finding.advice)") }
            }
        }
        let total = DoctorFinding.Level.allCases.map { "\(self.count(of: $0)) \($0.rawValue)" }
        lines.append("")
        lines.append(total.joined(separator: ", "))
        return lines.map(\.printable)
    }

    /// For programs.
    var json: String {
        let checks = self.sections.map { section in
            let findings = section.findings.map { finding -> JSONValue in
                var object: JSONObject = [
                    "level": .string(finding.level.rawValue), "subject": .string(finding.subject),
                    "seen": .string(finding.seen),
                ]
                if !finding.advice.isEmpty { object["advice"] = .string(finding.advice) }
                return .object(object)
            }
            return JSONValue.object(["check": .string(section.check), "findings": .array(findings)])
        }
        return JSONValue.object(["worst": .string(self.worst.rawValue), "checks": .array(checks)]).text
    }
}
