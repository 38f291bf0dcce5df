import ControlAPI
import GatewayApp
import GatewayConfig
import GatewaySettings
import Glibc
import NIOCore
import NIOHTTP1
import SystemPrimitives

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
        guard path.utf8.count <= UnixSocketAddress.maximumPathLength else { return "the path is too long" }
        guard let address = UnixSocketAddress(path: path) else { return SystemError.text(EINVAL) }
        // A process that hangs accepts nothing: when its queue is full, it is not waited for.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return SystemError.text(errno) }
        defer { close(descriptor) }
        return address.withAddress { connect(descriptor, $0, $1) } == 0 ? nil : SystemError.text(errno)
    }
}
