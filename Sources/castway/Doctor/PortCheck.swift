import GatewayApp
import GatewayConfig
import NIOCore
import NIOPosix
import VirtualDevices

/// Whether the ports of the virtual devices are free, or held by the gateway itself.
struct PortCheck: DoctorCheck {
    /// What a virtual device listens on.
    struct Port: Sendable, Equatable {
        let device: String
        let address: ListenAddress
    }

    let ports: [Port]
    /// Whether the gateway of this configuration runs; asked once.
    let runningGateway: RunningGatewayProbe

    let name = "ports"

    /// The ports of all virtual devices; those that the system chooses are always free.
    static func ports(of configuration: GatewayConfiguration) -> [Port] {
        configuration.virtualDevices.flatMap { device in
            [device.listen, device.setup.http, device.setup.https].compactMap { address in
                address.flatMap { $0.port == 0 ? nil : Port(device: device.name, address: $0) }
            }
        }
    }

    func findings() async -> [DoctorFinding] {
        var taken: [(Port, Int32)] = []
        var findings: [DoctorFinding] = []
        for port in self.ports {
            if let code = await Self.obstacle(at: port.address) {
                taken.append((port, code))
            } else {
                findings.append(.ok("\(port.address)", "free, for \(port.device)"))
            }
        }
        guard !taken.isEmpty else {
            return findings.isEmpty ? [.ok("virtual devices", "no fixed ports")] : findings
        }
        let isRunning = await self.runningGateway.answers()
        return findings
            + taken.map { port, code -> DoctorFinding in
                let subject = "\(port.address)"
                switch code {
                case EADDRINUSE where isRunning:
                    return .ok(subject, "in use, for \(port.device), by \(self.runningGateway.name)")
                case EADDRINUSE:
                    return .fail(
                        subject, "in use by another program, wanted by \(port.device)",
                        advice: "find it: ss -ltnp 'sport = :\(port.address.port)'; or choose another port")
                case EADDRNOTAVAIL:
                    return .fail(
                        subject, "no interface has this address, wanted by \(port.device)",
                        advice: "listen on an address of this machine, or on 0.0.0.0 or [::]")
                case EACCES:
                    return .fail(
                        subject, "may not be listened on by this user, wanted by \(port.device)",
                        advice: "ports below 1024 need CAP_NET_BIND_SERVICE; choose another port")
                default:
                    return .fail(
                        subject, "cannot be listened on: \(SystemError.text(code))",
                        advice: "see what the system says of it")
                }
            }
    }

    /// Listens for a moment, on a socket that nothing is accepted from.
    private static func obstacle(at address: ListenAddress) async -> Int32? {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.autoRead, value: false)
                .bind(host: address.host, port: address.port)
                .get()
            try await channel.close()
            return nil
        } catch let error as IOError {
            return error.errnoCode
        } catch {
            return EINVAL
        }
    }
}
