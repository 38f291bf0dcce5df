import ArgumentParser
import GatewayApp
import GatewayConfig

/// `castway doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks at this machine with the gateway's eyes: says what is wrong and what to do about it.",
        discussion: """
            Changes nothing, and may be used beside a gateway that runs. Looks at the configuration, the state directory, \
            ports, certificates, the clock, descriptors, network interfaces, Avahi, what is heard on each interface, and \
            whether the devices of discovery.static answer.

            Ends with 0 when everything is well, with 2 when there are warnings, and with 1 when something does not work.

            Examples:
              castway doctor
              castway doctor --config /etc/castway/gateway.yaml --json
            """)

    @OptionGroup var file: ConfigPathOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    @Option(help: ArgumentHelp("How long to listen for devices, and to wait for each answer.", valueName: "time"))
    var timeout = CommandTimeout(.seconds(5))

    func run() async throws {
        var report = DoctorReport()
        let examination = DoctorExamination(path: self.file.path, timeout: self.timeout.duration)
        for check in examination.checks {
            report.add(await check.findings(), of: check.name)
        }
        if self.output.isJSON {
            StandardOutput.write(report.json + "\n")
        } else {
            StandardOutput.write(lines: report.lines)
        }
        switch report.worst {
        case .ok: return
        case .warn: throw CommandFailure(.warnings)
        case .fail: throw CommandFailure(.configurationInvalid)
        }
    }
}
