import ControlAPI
import GatewayApp
import GatewayConfig
import Glibc
import NIOCore
import NIOHTTP1

/// Asks whether the gateway of a configuration runs.
struct RunningGatewayProbe: Sendable {
    /// Where to ask; nil when the admin listener is off.
    let address: ControlClient.Address?
    let timeout: Duration
    /// The gateway that says of itself that it runs with the configuration; nil when none does.
    let record: RunRecord?

    init(address: ControlClient.Address?, timeout: Duration, record: RunRecord? = nil) {
        self.address = address
        self.timeout = timeout
        self.record = record
    }

    init(_ configuration: GatewayConfiguration, timeout: Duration, record: RunRecord? = nil) {
        self.timeout = timeout
        self.record = record
        if case .tcp(let address) = configuration.admin.listen {
            self.address = .tcp(address)
        } else {
            self.address = configuration.admin.listen.socketPath(stateDirectory: configuration.gateway.stateDirectory)
                .map(ControlClient.Address.socket)
        }
    }

    /// What the gateway is called in findings.
    var name: String { self.record.map { "\($0.summary)" } ?? "the gateway that runs" }

    /// True when it runs, whatever it says of its health.
    func answers() async -> Bool {
        if self.record != nil { return true }
        guard let address else { return false }
        let client = ControlClient(address: address)
        let reply = try? await client.send(.GET, "/livez", timeout: TimeAmount(self.timeout))
        return reply != nil
    }
}

/// Tries whether a process listens on a Unix socket.
enum UnixSocketProbe {
    /// Why no process can be reached there; nil when one can.
    static func obstacle(at path: String) -> String? {
        let bytes = Array(path.utf8)
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else { return "the path is too long" }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return SystemError.text(errno) }
        defer { close(descriptor) }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: bytes)
        }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return code == 0 ? nil : SystemError.text(errno)
    }
}
