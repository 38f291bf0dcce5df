package import GatewayConfig

/// `virtual_devices[].publish`: whether a virtual device is announced by mDNS, and in which networks.
package struct AnnouncingSettings: Sendable, Equatable {
    /// Whether it is announced.
    package var isOn = true
    /// The network interfaces in which it is announced; empty for those where it listens.
    package var interfaces: [String] = []

    /// Announces where the device listens.
    package init() {}

    /// Announces in some interfaces only.
    package init(interfaces: [String]) {
        self.interfaces = interfaces
    }

    /// The key `publish` of a mapping that has these settings as a property.
    package static func key<Root>(_ path: ConfigProperty<Root, AnnouncingSettings>) -> ConfigKey<Root> {
        .custom(
            "publish",
            .oneOf(
                .boolean,
                .object([
                    ConfigField(
                        "interfaces",
                        .list(of: .text(allowed: "a-zA-Z0-9._@:-", length: 1...15))
                            .notEmpty("write 'publish: true' for all, or 'publish: false' for none"), .required,
                        "The network interfaces in which the device is announced", example: "[guests0]")
                ])),
            .defaultsTo("true"),
            "Whether the device is announced by mDNS, and in which network interfaces only; one that listens on the loopback interface "
                + "only never is",
            example: "{interfaces: [guests0]}", reload: .hot, isSame: { $0[keyPath: path] == $1[keyPath: path] },
            read: { value, root in
                if let section = value.section {
                    root[keyPath: path] = AnnouncingSettings(interfaces: section.strings("interfaces"))
                } else if case .boolean(let isOn) = value.content {
                    root[keyPath: path] = AnnouncingSettings()
                    root[keyPath: path].isOn = isOn
                }
            })
    }
}
