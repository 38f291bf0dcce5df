package import GatewayCore
import Synchronization

/// The settings of the routers of the gateway's own sessions: the handlers, and what `routing` and `log` of the configuration
/// say.
package final class OwnLegRouting: Sendable {
    package let registry: HandlerRegistry
    private let state: Mutex<(settings: RouterSettings, payloadText: MessageRouter.PayloadText?)>

    /// - Parameter payloadText: renders payloads for the log; nil leaves them out.
    package init(
        registry: HandlerRegistry = HandlerRegistry(), settings: RouterSettings = RouterSettings(),
        payloadText: MessageRouter.PayloadText? = nil
    ) {
        self.registry = registry
        self.state = Mutex((settings, payloadText))
    }

    /// The settings that routers are made with.
    var settings: (router: RouterSettings, payloadText: MessageRouter.PayloadText?) {
        self.state.withLock { ($0.settings, $0.payloadText) }
    }

    /// Takes what another configuration says, for routers that are made from now on.
    func follow(_ settings: RouterSettings, payloadText: MessageRouter.PayloadText?) {
        self.state.withLock { $0 = (settings, payloadText) }
    }
}

extension DeviceSessionDirectory {
    /// Has the routers of all sessions follow what another configuration says.
    package func route(by settings: RouterSettings, payloadText: MessageRouter.PayloadText?) {
        self.routing.follow(settings, payloadText: payloadText)
        for entry in self.allEntries {
            entry.execute { $0.platform.session?.leg?.follow(settings, payloadText: payloadText) }
        }
    }
}
