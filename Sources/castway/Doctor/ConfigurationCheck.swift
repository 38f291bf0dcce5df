import GatewayConfig

/// Whether `gateway.yaml` can be read and is right.
struct ConfigurationCheck: DoctorCheck {
    let path: String
    let report: ConfigReport

    let name = "configuration"

    func findings() async -> [DoctorFinding] {
        let errors = self.report.problems.filter { $0.severity == .error }
        guard let first = errors.first else {
            let warnings = self.report.problems.count
            guard warnings > 0 else { return [.ok(self.path, "readable and right")] }
            return [
                .warn(
                    self.path, "readable, with \(warnings) warning\(warnings == 1 ? "" : "s")",
                    advice: "castway check \(self.path)")
            ]
        }
        let others = errors.count == 1 ? "" : ", and \(errors.count - 1) more"
        return [
            .fail(
                self.path, "\(first.code.rawValue) at \(first.location): \(first.message)\(others)",
                advice: "castway check \(self.path); what depends on the configuration has not been looked at")
        ]
    }
}
