import CastDiscovery
import GatewayApp
import GatewayConfig

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
        if settings.discovery.multicast.isEnabled { checks.append(AvahiCheck(timeout: timeout)) }
        if result.configuration != nil {
            checks.append(StaticDeviceCheck(devices: settings.discovery.staticDevices, timeout: timeout))
        }
        self.checks = checks
    }
}
