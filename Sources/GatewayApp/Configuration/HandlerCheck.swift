internal import GatewayConfig
internal import GatewayCore
internal import NamespaceHandlers
internal import PluginHosting

/// Registers the handlers of a configuration as the gateway does when it starts, and finds those that it would refuse.
struct HandlerCheck {
    private let configuration: GatewayConfiguration
    /// Where the handlers that can be refused are described, by their names.
    private var places: [String: ConfigLocation] = [:]

    /// - Parameter root: the checked tree that the configuration was read from.
    init(_ configuration: GatewayConfiguration, _ root: ConfigSection) {
        self.configuration = configuration
        for (channel, section) in zip(configuration.channels, root.sections("channels")) {
            self.places[channel.handlerName] = section.location("namespace")
        }
        for instance in root.section("plugins").sections("instances") {
            self.places[instance.string("name")] = instance.location("name")
        }
    }

    /// Adds every handler that cannot be registered beside those before it.
    /// - Parameter file: where to point for a handler that no part of the file describes.
    func check(_ problems: inout ConfigProblems, file: ConfigLocation) {
        let registry = HandlerRegistry()
        for handler in self.configuration.builtInHandlers + self.configuration.plugins.silentHandlers {
            do {
                try registry.register(handler)
            } catch {
                problems.add(
                    Self.code(of: error), at: self.places[handler.name] ?? file, error.reason,
                    hint: Self.hint(of: error))
            }
        }
    }

    private static func code(of error: GatewayError) -> ConfigProblem.Code {
        switch error.code {
        case .handlerExists: .duplicateName
        case .reservedNamespace: .reservedNamespace
        default: .claimConflict
        }
    }

    private static func hint(of error: GatewayError) -> String? {
        error.code == .handlerExists ? "Castway has a handler of that name; give the plugin another" : nil
    }
}
