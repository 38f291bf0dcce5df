package import GatewayConfig
package import GatewayCore

/// How a caller names a device: by name or id, with `real:` or `virtual:` before it where one of each goes by that.
package struct DeviceReference: Sendable, Equatable {
    /// The two kinds of device.
    package enum Kind: String, Sendable, CaseIterable {
        /// A device that the gateway is a sender of.
        case real
        /// A device that the gateway is.
        case virtual

        /// Whose connections to the device's apps messages pass.
        package var leg: MessageLeg { self == .real ? .own : .sender }
    }

    /// What the caller wrote.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Which kind is meant; nil for either.
    package var kind: Kind? { Kind.allCases.first { self.text.hasPrefix("\($0.rawValue):") } }

    /// What the caller wrote behind the kind.
    package var name: String { self.kind.map { String(self.text.dropFirst($0.rawValue.count + 1)) } ?? self.text }
}

extension ConfigType where Value == DeviceReference {
    /// The name or id of a device.
    package static var device: ConfigType {
        ConfigType<String>.text(maximumBytes: 200).converted({ DeviceReference($0) }, \.text)
    }
}

extension ConfigKey {
    /// The key `device` of an operation.
    package static func device(_ path: ConfigProperty<Root, DeviceReference>) -> ConfigKey {
        .required(
            "device", path, .device,
            "A virtual or a real device by its name; one that discovery has found by its id, or by its friendly name when no other has that. "
                + "`real:NAME` or `virtual:NAME` where both exist", example: "hall")
    }

    /// The key `device` of an operation on virtual devices.
    package static func virtualDevice(_ path: ConfigProperty<Root, DeviceReference>) -> ConfigKey {
        .required("device", path, .device, "A virtual device by its name, or by its id", example: "hall")
    }
}
