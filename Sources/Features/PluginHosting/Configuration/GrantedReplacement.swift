package import GatewayConfig
package import GatewayCore

/// `grant.replaces[]`: a handler of Castway's own before which a plugin is asked, and which answers what the plugin leaves to it.
///
/// The plugin gets the messages of the handler's namespaces in both directions. What it passes, and what it fails over with
/// `on_failure: open`, goes to the handler.
package struct GrantedReplacement: ConfigObject, Hashable {
    /// The handler, by the name of a ``ReplaceableHandler``.
    package var handler: String
    /// The virtual devices by name; nil for all.
    package var devices: [String]?
    /// The time the plugin may take for a message; nil for its own deadline of the phase.
    package var deadline: Duration?
    /// The policy for failures of the plugin; nil for its own.
    package var onFailure: FailurePolicy?

    package static let keys: [Key] = [
        .required("handler", \.handler, .text(maximumBytes: 256), "The handler", example: "media"),
        .optional(
            "devices", \.devices, .list(of: .text(maximumBytes: 64)).notEmpty().namingGroups(.names),
            "Only on these virtual devices: names, groups, and patterns with `*` and `?`",
            example: "[lobby]"),
        .optional("deadline", \.deadline, .deadline, "How long it may take; without it the deadline of the phase"),
        .optional(
            "on_failure", \.onFailure, .word,
            "What happens when it fails or is late: with `open` the handler answers that it replaces"),
    ]

    package init(
        _ handler: ReplaceableHandler, devices: [String]? = nil, deadline: Duration? = nil,
        onFailure: FailurePolicy? = nil
    ) {
        self.init(named: handler.rawValue)
        self.devices = devices
        self.deadline = deadline
        self.onFailure = onFailure
    }

    package init(blank: ConfigBlank) { self.init(named: "") }

    private init(named handler: String) { self.handler = handler }

    /// Reads an element of the list: a name, or a mapping.
    fileprivate init?(reading value: ConfigValue) {
        if let section = value.section {
            self.init(reading: section)
        } else if let name = value.string {
            self.init(named: name)
        } else {
            return nil
        }
    }

    /// The claims of the plugin, each in front of the one of the handler.
    var namespaces: [GrantedNamespace] {
        let claims = ReplaceableHandler(rawValue: self.handler)?.claims(devices: self.devices) ?? []
        return claims.map { claim in
            var granted = GrantedNamespace(claim, deadline: self.deadline, onFailure: self.onFailure)
            granted.replaces = self.handler
            return granted
        }
    }

    /// The same for people: `media on lobby`.
    package var summary: String {
        self.devices.map { "\(self.handler) on \($0.joined(separator: ", "))" } ?? self.handler
    }
}

extension ConfigType where Value == GrantedReplacement {
    /// The name of a handler, or a mapping that says more.
    static var replacement: ConfigType {
        ConfigType(
            .oneOf(.text(maximumBytes: 256), .object(of: GrantedReplacement.self)), text: { $0.handler },
            read: { GrantedReplacement(reading: $0) })
    }
}
