public import GatewayCore

extension PluginsConfiguration {
    /// The handlers that the plugins would be, with all that they are granted; nothing is started, and they answer nobody.
    public var silentHandlers: [any MessageHandler] {
        self.instances.map { PluginHandler(name: $0.name, claims: $0.handlerClaims()) }
    }

    /// What there is to say of each plugin as a handler, by its name.
    public var routeNotes: [String: String] {
        Dictionary(
            self.instances.map { instance in
                let state = instance.isEnabled ? "" : ", not enabled"
                return (instance.name, "plugin \(instance.plugin) \(instance.manifest.version)\(state)")
            }, uniquingKeysWith: { first, _ in first })
    }
}
