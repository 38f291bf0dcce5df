import BuiltInReceiver
import GatewayConfig
package import GatewaySettings
import NamespaceHandlers
import VirtualDevices

extension GatewayConfiguration {
    /// The hall of ``hallAndOffice`` alone: its id is the only one of the gateway, and what it says when it is asked.
    package static var hall: GatewayConfiguration {
        var configuration = self.hallAndOffice
        configuration.virtualDevices.removeAll { $0.name != "hall" }
        return configuration
    }

    /// Two local receivers on ports of the system's choice: `hall` plays, `office` has no app.
    ///
    /// The hall fails on what is called "broken"; app `ABCD1234` echoes, `00000001` may not be launched, and
    /// `00000002` never answers its launch.
    package static var hallAndOffice: GatewayConfiguration {
        let anywhere = ListenAddress(host: "127.0.0.1", port: 0)
        var options = SimulationOptions {
            $0.loadDelay = .zero
            $0.buffering = .zero
        }
        options.failures = [SimulatedFailure(match: Glob("*broken*")) { $0.detailedErrorCode = 104 }]
        let apps = [
            VirtualAppConfiguration(id: "CC1AD845") {
                $0.player = .simulated
                $0.options = options
            },
            VirtualAppConfiguration(id: "ABCD1234") { $0.namespaces = ["urn:x-cast:com.example.echo"] },
            VirtualAppConfiguration(id: "00000001") { $0.launch = .notAllowed },
            VirtualAppConfiguration(id: "00000002") { $0.launch = .timeout },
        ]
        var configuration = GatewayConfiguration {
            $0.virtualDevices = [
                VirtualDeviceConfiguration(name: "hall", listen: anywhere, target: .local) { $0.apps = apps },
                VirtualDeviceConfiguration(name: "office", listen: anywhere, target: .local) { $0.apps = [] },
            ]
            $0.channels = [ChannelConfiguration(namespace: "urn:x-cast:com.example.echo", handler: .echo)]
        }
        configuration.shutdown.drain = .zero
        return configuration
    }
}
