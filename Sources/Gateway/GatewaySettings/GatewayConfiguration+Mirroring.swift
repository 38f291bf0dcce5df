import GatewayConfig
package import Passthrough
import VirtualDevices

extension GatewayConfiguration {
    /// The rules of the system that bring to the gateway what senders of devices that are passed through mirror.
    package var mirroringRules: MirroringRules {
        MirroringRules(
            self.virtualDevices.filter(\.isMirroredThrough).map {
                MirroringRules.Screen(name: $0.name, address: $0.listen.host)
            })
    }
}
