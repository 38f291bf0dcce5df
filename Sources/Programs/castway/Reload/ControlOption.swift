import ArgumentParser
import ControlAPI
import GatewayApp
import GatewayConfig
import GatewaySettings
import Glibc

/// How commands find the gateway that runs.
struct ControlOption: ParsableArguments {
    /// Where a gateway is asked, and its name for people.
    private typealias Gateway = (address: ControlClient.Address, name: String)

    @OptionGroup var file: ConfigOption

    @Option(
        help: ArgumentHelp(
            "Where the gateway listens for commands, as in admin.listen; default: where the gateway that runs with the "
                + "configuration does, or the only one that runs.",
            valueName: "address"))
    var admin: String?

    func validate() throws {
        guard let admin else { return }
        switch AdminAddress(admin) {
        case .socket, .tcp: return
        case .stateDirectory, .off, nil: throw ValidationError("An admin address is unix:PATH or 127.0.0.1:PORT.")
        }
    }

    /// Finds the gateway, and says on standard error which one it is.
    /// - Throws: ``CommandFailure`` when none can be found, or several.
    func client() throws -> ControlClient {
        let gateway = try self.gateway()
        StandardError.say("asks \(gateway.name.printable)", .note)
        return ControlClient(address: gateway.address)
    }

    private func gateway() throws -> Gateway {
        let running = RunningGateways.found()
        if let admin, let address = AdminAddress(admin) {
            return Self.gateway(at: try Self.address(address, stateDirectory: ""), among: running)
        }
        let path = self.file.path
        if let record = running.started(with: path) { return try Self.gateway(record) }
        if self.file.config == nil, ProcessEnvironment.variables["CASTWAY_CONFIG"] == nil, access(path, F_OK) != 0 {
            return try Self.onlyGateway(running)
        }
        let gateway = Self.gateway(at: try self.configuredAddress(), among: running)
        // Said here, where it is known what else there is.
        if case .socket(let socket) = gateway.address, let obstacle = UnixSocketProbe.obstacle(at: socket) {
            let next = running.gateways.isEmpty ? "; 'castway run' starts one" : running.hint
            throw CommandFailure(.unreachable, "no gateway answers at \(socket): \(obstacle)\(next)")
        }
        return gateway
    }

    /// The gateway in a folder without a configuration: the only one that runs.
    private static func onlyGateway(_ running: RunningGateways) throws -> Gateway {
        guard let first = running.gateways.first else {
            throw CommandFailure(
                .unreachable,
                "no gateway was found: there is no gateway.yaml in this folder, and none that this user can see runs; "
                    + "name its file with --config, or its socket with --admin unix:PATH")
        }
        guard running.gateways.count == 1 else {
            throw CommandFailure(.usage, "several gateways run; name one\(running.hint)")
        }
        return try Self.gateway(first)
    }

    private static func gateway(_ record: RunRecord) throws -> Gateway {
        guard let admin = record.admin.first, let address = AdminAddress(admin) else {
            throw CommandFailure(
                .unreachable,
                "\(record.summary) has no admin listener, so it takes SIGHUP only: kill -HUP \(record.process)")
        }
        return (try Self.address(address, stateDirectory: ""), record.summary)
    }

    private static func gateway(at address: ControlClient.Address, among running: RunningGateways) -> Gateway {
        let record: RunRecord? =
            switch address {
            case .socket(let path):
                RunRecord.beside(socket: path)
                    ?? running.gateways.first { $0.admin.contains("unix:\(RunningPath.absolute(path))") }
            case .tcp(let address): running.gateways.first { $0.admin.contains("\(address)") }
            }
        return (address, record?.summary ?? "the gateway at \(address)")
    }

    /// Where the configuration says. Of a file with errors, what can be read of it counts: to say what is wrong with it is
    /// what the gateway is asked for.
    private func configuredAddress() throws -> ControlClient.Address {
        let document = ConfigurationFile.load(self.file.path).document
        let variable = ProcessEnvironment.variables["CASTWAY_STATE_DIR"] ?? ""
        let fallback = ConfigPath.resolved(
            variable.isEmpty ? GeneralConfiguration().stateDirectory : variable, in: self.file.path)
        let gateway = document.root.section("gateway")
        let configuration = AdminConfiguration(reading: document.root.section("admin"))
        guard configuration.listen != .off else {
            throw CommandFailure(
                .unreachable, "admin.listen is off in \(self.file.path), so the gateway takes SIGHUP only")
        }
        return try Self.address(
            configuration.listen, stateDirectory: gateway.optionalString("state_directory") ?? fallback)
    }

    private static func address(_ address: AdminAddress, stateDirectory: String) throws -> ControlClient.Address {
        if case .tcp(let address) = address { return .tcp(address) }
        guard let path = address.socketPath(stateDirectory: stateDirectory) else {
            throw CommandFailure(.unreachable, "the gateway has no admin listener, so it takes SIGHUP only")
        }
        return .socket(path)
    }
}
