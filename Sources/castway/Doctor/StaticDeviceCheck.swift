import GatewayApp
import GatewayConfig
import NIOCore
import NIOPosix

/// Whether the devices of `discovery.static` can be reached and speak TLS; all at once.
struct StaticDeviceCheck: DoctorCheck {
    /// What dialling a device came to.
    enum Outcome: Sendable, Equatable {
        case reached
        /// TCP stands; TLS does not.
        case withoutTLS(String)
        case unreachable(String)
    }

    let devices: [StaticDevice]
    let timeout: Duration

    let name = "static devices"

    func findings() async -> [DoctorFinding] {
        guard !self.devices.isEmpty else { return [.ok("discovery.static", "none")] }
        return await withTaskGroup(of: (Int, DoctorFinding).self) { group in
            for (index, device) in self.devices.enumerated() {
                group.addTask { (index, await self.finding(device)) }
            }
            var findings: [(Int, DoctorFinding)] = []
            for await finding in group { findings.append(finding) }
            return findings.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func finding(_ device: StaticDevice) async -> DoctorFinding {
        let subject = "\(device.name) at \(device.address)"
        let outcome = await TLSProbe(timeout: self.timeout).outcome(
            host: device.address.host, port: device.address.port)
        switch outcome {
        case .reached: return .ok(subject, "answers, and speaks TLS")
        case .withoutTLS(let reason):
            return .fail(
                subject, "answers, and does not speak TLS: \(reason)",
                advice: "is it a Cast device, and the port that of its Cast channel (mostly 8009)?")
        case .unreachable(let reason):
            return .warn(
                subject, "not reached: \(reason)",
                advice: "is it switched on, and still at this address? castway goes on trying")
        }
    }
}
