import ControlAPI
import GatewayConfig
import Testing

@Suite struct AdminConfigurationTests {
    @Test(arguments: [
        ("off", AdminAddress.off), ("unix:/run/castway/admin.sock", .socket("/run/castway/admin.sock")),
        ("127.0.0.1:9095", .tcp(ListenAddress(host: "127.0.0.1", port: 9095))),
        ("[::1]:9095", .tcp(ListenAddress(host: "::1", port: 9095))),
        ("localhost:0", .tcp(ListenAddress(host: "localhost", port: 0))),
    ])
    func addressesAreRead(text: String, address: AdminAddress) {
        #expect(AdminAddress(text) == address)
    }

    @Test(arguments: ["", "unix:", "0.0.0.0:9095", "192.0.2.1:9095", "127.0.0.1", "gateway:9095", "[::]:9095", "on"])
    func whatOthersCouldReachIsRefused(text: String) {
        #expect(AdminAddress(text) == nil)
    }

    @Test func theSocketIsInTheStateDirectory() {
        #expect(AdminConfiguration().listen.socketPath(stateDirectory: "./state") == "./state/admin.sock")
        #expect(AdminAddress.off.socketPath(stateDirectory: "./state") == nil)
    }
}
