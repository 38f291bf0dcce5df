import ArgumentParser
import CastDiscovery
import CastWire
import GatewayApp
import GatewayConfig
import GatewaySettings
import Passthrough

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "doctor", "Looks at this machine with the gateway's eyes: says what is wrong and what to do about it.",
        """
        Changes nothing, and may be used beside a gateway that runs. Looks at the configuration, the state directory, \
        ports, certificates, the clock, descriptors, network interfaces, Avahi, what is heard on each interface, and \
        whether the devices of discovery.static answer.

        Ends with 0 when everything is well, with 2 when there are warnings, and with 1 when something does not work.
        """,
        examples: ["castway doctor", "castway doctor --config /etc/castway/gateway.yaml --json"])

    @OptionGroup var file: ConfigPathOption
    @OptionGroup var output: OutputOption<TextOrJSON>
    @Option(help: .init("How long to listen for devices, and to wait for each answer.", valueName: "time"))
    var timeout = CommandTimeout(.seconds(5))

    func run() async throws {
        var report = DoctorReport()
        let examination = DoctorExamination(path: self.file.path, timeout: self.timeout.duration)
        for check in examination.checks {
            let findings = await ProgressLine.showing("looking at: \(check.name)") { await check.findings() }
            report.add(findings, of: check.name)
        }
        self.output.write(report.json, else: report.lines(Terminal.output))
        switch report.worst {
        case .ok: return
        case .warn: throw CommandFailure(.warnings)
        case .fail: throw CommandFailure(.configurationInvalid)
        }
    }
}

/// Which checks there are, in the order in which they are made and told.
struct DoctorExamination: Sendable {
    let checks: [any DoctorCheck]

    /// - Parameters:
    ///   - path: the configuration.
    ///   - timeout: how long to listen for devices, and to wait for each answer.
    init(path: String, timeout: Duration) {
        let result = ConfigurationFile.load(path)
        var checks: [any DoctorCheck] = [ConfigurationCheck(path: path, report: result.report)]
        var settings = result.configuration ?? GatewayConfiguration()
        // Its service may have told it of another folder than this command's environment does.
        let running = RunningGateways.found().started(with: path)
        if let running { settings.gateway.stateDirectory = running.stateDirectory }
        if result.configuration != nil {
            checks.append(StateDirectoryCheck(path: settings.gateway.stateDirectory))
            checks.append(
                PortCheck(
                    ports: PortCheck.ports(of: settings),
                    runningGateway: RunningGatewayProbe(settings, timeout: timeout, record: running)))
            checks.append(CertificateCheck(configuration: settings))
        }
        checks.append(ClockCheck())
        checks.append(DescriptorCheck(configuration: settings))
        checks.append(InterfaceCheck())
        let announcements = AnnouncementCheck(configuration: settings)
        if announcements.isNeeded { checks.append(announcements) }
        if settings.discovery.multicast.isEnabled {
            let user = ServiceUser.find(configuration: path, running: running)
            checks.append(AvahiCheck(timeout: timeout, service: user))
        }
        if result.configuration != nil {
            checks.append(StaticDeviceCheck(devices: settings.discovery.staticDevices, timeout: timeout))
        }
        let rules = settings.mirroringRules
        if !rules.isEmpty { checks.append(MirroringCheck(rules: rules)) }
        self.checks = checks
    }
}

/// One thing that `castway doctor` looks at. Changes nothing.
protocol DoctorCheck: Sendable {
    /// What it is called in the report.
    var name: String { get }

    /// Looks, within bounded time.
    func findings() async -> [DoctorFinding]
}

/// What one check of `castway doctor` found out about one thing.
struct DoctorFinding: Sendable, Equatable {
    /// How bad it is, from good to bad.
    enum Level: String, Sendable, Comparable, CaseIterable {
        /// As it should be.
        case ok
        /// It works, and may not for long or not for every sender.
        case warn
        /// It does not work.
        case fail

        static func < (left: Level, right: Level) -> Bool { left != right && (left == .ok || right == .fail) }

        var style: Paint.Style {
            switch self {
            case .ok: .good
            case .warn: .warning
            case .fail: .error
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

    static func ok(_ subject: String, _ seen: String) -> Self { .init(.ok, subject, seen, "") }

    static func warn(_ subject: String, _ seen: String, advice: String) -> Self { .init(.warn, subject, seen, advice) }

    static func fail(_ subject: String, _ seen: String, advice: String) -> Self { .init(.fail, subject, seen, advice) }

    private init(_ level: Level, _ subject: String, _ seen: String, _ advice: String) {
        self.level = level
        self.subject = subject
        self.seen = seen
        self.advice = advice
    }
}

extension [DoctorFinding] {
    static func ok(_ subject: String, _ seen: String) -> Self { [.ok(subject, seen)] }

    static func warn(_ subject: String, _ seen: String, advice: String) -> Self {
        [.warn(subject, seen, advice: advice)]
    }

    static func fail(_ subject: String, _ seen: String, advice: String) -> Self {
        [.fail(subject, seen, advice: advice)]
    }
}

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
    var worst: DoctorFinding.Level { self.sections.flatMap(\.findings).map(\.level).max() ?? .ok }

    /// How many findings there are of a level.
    func count(of level: DoctorFinding.Level) -> Int {
        self.sections.flatMap(\.findings).count { $0.level == level }
    }

    var lines: [String] { self.lines(.plain) }

    func lines(_ paint: Paint) -> [String] {
        var lines: [String] = []
        for section in self.sections {
            lines.append(section.check.printable)
            for finding in section.findings {
                let level = paint(finding.level.rawValue.padded(to: 4), finding.level.style)
                lines.append("  \(level)  \("\(finding.subject): \(finding.seen)".printable)")
                if !finding.advice.isEmpty { lines.append("        \(finding.advice)".printable) }
            }
        }
        let total = DoctorFinding.Level.allCases.map { "\(self.count(of: $0)) \($0.rawValue)" }
        lines.append("")
        lines.append(total.joined(separator: ", "))
        return lines
    }

    var json: JSONObject {
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
        return ["worst": .string(self.worst.rawValue), "checks": .array(checks)]
    }
}
