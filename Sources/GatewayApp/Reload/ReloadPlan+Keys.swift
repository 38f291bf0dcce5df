import BuiltInReceiver
import ControlAPI
import DeviceSessions
import GatewayConfig
import NamespaceHandlers
import VirtualDevices

/// Which key is in which class. `ReloadPlanTests` holds this against the classes that the schema declares.
extension ReloadPlan {
    mutating func compareProcess(_ old: GatewayConfiguration, _ new: GatewayConfiguration) {
        self.compare("gateway.id", .restart, \.gateway.id, old, new)
        self.compare("gateway.name", .hot, \.gateway.name, old, new)
        self.compare("gateway.state_directory", .restart, \.gateway.stateDirectory, old, new)
        self.compareRest("gateway", .restart, old.gateway, new.gateway)
        self.compare("log.level", .hot, \.log.level, old, new)
        self.compare("log.format", .hot, \.log.format, old, new)
        self.compare("log.levels", .hot, \.log.levels, old, new)
        self.compare("log.payloads", .hot, \.log.payloads, old, new)
        self.compare("log.redact", .hot, \.log.redact, old, new)
        self.compareRest("log", .hot, old.log, new.log)
        self.compare("admin.listen", .restart, \.admin.listen, old, new)
        self.compare("admin.max_connections", .hot, \.admin.maxConnections, old, new)
        self.compareRest("admin", .restart, old.admin, new.admin)
        self.compare("identity.root_certificate_file", .restart, \.identity.rootCertificateFile, old, new)
        self.compare("identity.root_private_key_file", .restart, \.identity.rootPrivateKeyFile, old, new)
        self.compareRest("identity", .restart, old.identity, new.identity)
        self.compare("shutdown.drain", .hot, \.shutdown.drain, old, new)
        self.compare("shutdown.total", .hot, \.shutdown.total, old, new)
        self.compare("shutdown.stop_receivers", .hot, \.shutdown.stopReceivers, old, new)
        self.compareRest("shutdown", .hot, old.shutdown, new.shutdown)
    }

    mutating func compareConnections(_ old: GatewayConfiguration, _ new: GatewayConfiguration) {
        self.compare("discovery.mdns.enabled", .hot, \.discovery.multicast.isEnabled, old, new)
        self.compare("discovery.mdns.passive", .hot, \.discovery.multicast.isPassive, old, new)
        self.compare("discovery.mdns.interfaces", .hot, \.discovery.multicast.interfaces, old, new)
        self.compare("discovery.receiver_app", .hot, \.discovery.receiverApp, old, new)
        self.compare("discovery.allow", .hot, \.discovery.allow, old, new)
        self.compare("discovery.deny", .hot, \.discovery.deny, old, new)
        self.compareLists(
            "discovery.static", old.discovery.staticDevices, new.discovery.staticDevices, name: \.name, reload: .device
        ) { plan, path, before, after in
            plan.compare("\(path).address", .device, \.address, before, after)
            plan.compare("\(path).id", .device, \.id, before, after)
        }
        let (a, b) = (old.connections, new.connections)
        self.compare("connections.heartbeat.interval", .newConnections, \.heartbeatInterval, a, b)
        self.compare("connections.heartbeat.timeout", .newConnections, \.heartbeatTimeout, a, b)
        self.compare("connections.reconnect.initial", .hot, \.reconnectInitial, a, b)
        self.compare("connections.reconnect.max", .hot, \.reconnectMaximum, a, b)
        self.compare("connections.reconnect.jitter", .hot, \.reconnectJitter, a, b)
        self.compare("connections.dial_timeout", .newConnections, \.dialTimeout, a, b)
        self.compare("connections.verify_device_certificate", .newConnections, \.certificateVerification, a, b)
        self.compare("connections.accept_missing_nonce", .newConnections, \.acceptsMissingNonce, a, b)
        self.compare("connections.trust_anchors", .newConnections, \.trustAnchors, a, b)
        self.compare("connections.revocation_anchors", .newConnections, \.revocationAnchors, a, b)
        self.compareRest("connections", .newConnections, a, b)
        let (c, d) = (old.senders, new.senders)
        self.compare("connections.senders.heartbeat.interval", .newConnections, \.heartbeatInterval, c, d)
        self.compare("connections.senders.heartbeat.timeout", .newConnections, \.heartbeatTimeout, c, d)
        self.compare("connections.senders.handshake_timeout", .newConnections, \.handshakeTimeout, c, d)
        self.compare("connections.senders.frame_timeout", .newConnections, \.frameTimeout, c, d)
        self.compare("connections.senders.max_total", .hot, \.maxTotal, c, d)
        self.compare("connections.senders.max_per_address", .hot, \.maxPerAddress, c, d)
        self.compare("connections.senders.new_per_second", .hot, \.newPerSecond, c, d)
        self.compare("connections.senders.messages_per_second", .hot, \.messagesPerSecond, c, d)
        self.compareRest("connections.senders", .newConnections, c, d)
        let (g, h) = (old.setupLimits, new.setupLimits)
        self.compare("connections.setup.handshake_timeout", .newConnections, \.handshakeTimeout, g, h)
        self.compare("connections.setup.request_timeout", .newConnections, \.requestTimeout, g, h)
        self.compare("connections.setup.idle_timeout", .newConnections, \.idleTimeout, g, h)
        self.compare("connections.setup.max_total", .hot, \.maxTotal, g, h)
        self.compare("connections.setup.max_per_address", .hot, \.maxPerAddress, g, h)
        self.compare("connections.setup.new_per_second", .hot, \.newPerSecond, g, h)
        let (e, f) = (old.sessions, new.sessions)
        self.compare("sessions.restore_on_start", .hot, \.restoresOnStart, e, f)
        self.compare("sessions.polite", .hot, \.isPolite, e, f)
        self.compare("sessions.stop_app_on_end", .hot, \.stopsAppOnEnd, e, f)
        self.compare("sessions.suspend_after", .hot, \.suspendAfter, e, f)
        self.compare("sessions.wait_for_device", .hot, \.waitForDevice, e, f)
        self.compareRest("sessions", .hot, e, f)
        self.compare("launch.android_receiver_compatible", .hot, \.launch.androidReceiverCompatible, old, new)
        self.compare("launch.language", .hot, \.launch.language, old, new)
        self.compare("launch.relaunch_if_running", .hot, \.launch.relaunchesIfRunning, old, new)
        self.compare("launch.sender_name", .hot, \.launch.senderName, old, new)
        self.compare("launch.credentials", .hot, \.launch.defaultCredentials, old, new)
        if old.launch.defaultCredentials == new.launch.defaultCredentials {
            self.compare("launch.credentials", .hot, \.launch.appCredentials, old, new)
        }
        self.compareRest("launch", .hot, old.launch, new.launch)
    }

    mutating func compareDevices(
        _ path: String, _ old: VirtualDeviceConfiguration, _ new: VirtualDeviceConfiguration
    ) {
        self.compare("\(path).friendly_name", .hot, \.friendlyName, old, new)
        self.compare("\(path).model", .hot, \.model, old, new)
        self.compare("\(path).listen", .listener, \.listen, old, new)
        self.compare("\(path).publish", .hot, \.publish, old, new)
        self.compare("\(path).target", .device, \.target, old, new)
        self.compare("\(path).senders.allow", .hot, \.allowedSenders, old, new)
        self.compare("\(path).apps", .hot, \.apps, old, new)
        self.compare("\(path).idle_timeout", .hot, \.idleTimeout, old, new)
        self.compare("\(path).backdrop", .hot, \.backdrop, old, new)
        self.compare("\(path).volume.control", .hot, \.volume.control, old, new)
        self.compare("\(path).volume.level", .hot, \.volume.level, old, new)
        self.compare("\(path).volume.step", .hot, \.volume.step, old, new)
        self.compare("\(path).setup.http", .listener, \.setup.http, old, new)
        self.compare("\(path).setup.https", .listener, \.setup.https, old, new)
        self.compare("\(path).capabilities", .hot, \.capabilities, old, new)
        self.compare("\(path).tls_key", .newConnections, \.tlsKey, old, new)
    }

    mutating func compareRouting(_ old: GatewayConfiguration, _ new: GatewayConfiguration) {
        self.compare("routing.default", .hot, \.routing.fallback, old, new)
        self.compare("routing.rules", .hot, \.routing.rules, old, new)
        self.compare("routing.deadlines.filter", .hot, \.routing.filterDeadline, old, new)
        self.compare("routing.deadlines.handle", .hot, \.routing.handleDeadline, old, new)
        self.compare("routing.on_failure", .hot, \.routing.onFailure, old, new)
        self.compareRest("routing", .hot, old.routing, new.routing)
        self.compare("channels", .hot, \.channels, old, new)
    }
}
