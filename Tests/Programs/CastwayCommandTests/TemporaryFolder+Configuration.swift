import CastwayTestSupport

extension TemporaryFolder {
    /// Writes a `gateway.yaml` with two virtual devices on ports of the system's choice.
    func writeConfiguration(port: Int = 0, adding text: String = "") throws {
        try self.write(
            """
            version: 1
            gateway: {state_directory: "${CASTWAY_STATE_DIR:-state}"}
            discovery:
              static:
                - {name: projector, address: "127.0.0.1:1"}
            virtual_devices:
              - {name: hall, friendly_name: Great hall, listen: "127.0.0.1:\(port)", target: local}
              - {name: kitchen, listen: "127.0.0.1:0", target: {device: projector}}
            \(text)

            """, to: "gateway.yaml")
    }
}
