import ArgumentParser
import ControlAPI
import GatewayApp
import GatewayConfig

/// How commands find the gateway that runs.
struct ControlOption: ParsableArguments {
    @OptionGroup var file: ConfigOption

    @Option(
        help: ArgumentHelp(
            "Where the gateway listens for commands, as in admin.listen; default: what the configuration says.",
            valueName: "address"))
    var admin: String?

    func validate() throws {
        guard let admin else { return }
        switch AdminAddress(admin) {
        case .socket, .tcp: return
        case .stateDirectory, .off, nil: throw ValidationError("An admin address is unix:PATH or 127.0.0.1:PORT.")
        }
    }

    /// Where to ask. Of a file with errors, what can be read of it counts: to say what is wrong with it is what the
    /// gateway is asked for.
    /// - Throws: ``CommandFailure`` when the configuration switches the admin listener off.
    func address() throws -> ControlClient.Address {
        if let admin, let address = AdminAddress(admin) { return try self.address(of: address, stateDirectory: "") }
        let document = ConfigurationFile.load(self.file.path).document
        let variable = ProcessEnvironment.variables["CASTWAY_STATE_DIR"] ?? ""
        let fallback = variable.isEmpty ? GatewaySettings().stateDirectory : variable
        let gateway = document.root.section("gateway")
        let configuration = AdminConfiguration(reading: document.root.section("admin"))
        return try self.address(
            of: configuration.listen, stateDirectory: gateway.optionalString("state_directory") ?? fallback)
    }

    private func address(of address: AdminAddress, stateDirectory: String) throws -> ControlClient.Address {
        if case .tcp(let address) = address { return .tcp(address) }
        guard let path = address.socketPath(stateDirectory: stateDirectory) else {
            throw CommandFailure(
                .unreachable, "admin.listen is off in \(self.file.path), so the gateway takes SIGHUP only")
        }
        return .socket(path)
    }
}
