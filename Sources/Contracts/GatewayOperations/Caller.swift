/// Who asks for an operation: what it may do, and with which devices.
///
/// A way in finds out who asks, by a token, a socket of the file system or the address, and hands the caller to the catalogue.
/// Operations that touch devices ask ``mayUse(device:)``; the catalogue itself asks for scopes.
package struct Caller: Sendable, Hashable {
    /// What the caller is called in the audit log: the name of its token, `admin`, `loopback` or `plugin:NAME`.
    package let name: String
    /// What it may do.
    package let scopes: Set<OperationScope>
    /// The devices that it may see and use; nil for all.
    package let devices: [DevicePattern]?
    /// The id of its token, by which it is revoked; nil for a caller without one.
    package let token: String?
    /// Tells tokens apart that have the same id one after the other; 0 for a caller without one.
    package let generation: UInt64
    /// The name of the plugin that it is; nil for every other caller, whatever it is called.
    package let plugin: String?

    package init(
        name: String, scopes: Set<OperationScope>, devices: [DevicePattern]? = nil, token: String? = nil,
        generation: UInt64 = 0, plugin: String? = nil
    ) {
        self.plugin = plugin
        self.generation = generation
        self.name = name
        self.scopes = scopes
        self.devices = devices
        self.token = token
    }

    /// The caller of the admin listener, which may do everything.
    package static let admin = Caller(name: "admin", scopes: Set(OperationScope.allCases))

    /// Whether it is the MQTT broker, which is called `mqtt`, or `mqtt:` and a name.
    package var isBroker: Bool { self.token == nil && self.name.hasPrefix("mqtt") }

    /// Whether the caller may see and use a device, virtual or real.
    /// - Parameter device: its name in the gateway; never a text that the caller sent and nothing has looked up.
    package func mayUse(device: String) -> Bool {
        guard let devices = self.devices else { return true }
        return devices.contains { $0.matches(device) }
    }

    /// Refuses a caller that lacks a scope.
    /// - Parameter part: what takes the scope.
    /// - Throws: `scope_missing` (403).
    package func require(scope: OperationScope, for part: String) throws(OperationProblem) {
        guard self.scopes.contains(scope) else {
            throw OperationProblem("scope_missing", status: 403, "'\(part)' takes the scope '\(scope.rawValue)'")
        }
    }

    /// Refuses a caller that may not use a device.
    /// - Throws: `device_not_allowed` (403).
    package func require(device: String) throws(OperationProblem) {
        guard self.mayUse(device: device) else {
            throw OperationProblem("device_not_allowed", status: 403, "the caller may not use the device '\(device)'")
        }
    }
}

/// Names of devices, with `*` for any number of characters: `hall`, `room-1*`.
package struct DevicePattern: Sendable, Hashable, CustomStringConvertible {
    /// The pattern as it is written.
    package let text: String

    /// Takes a pattern as it is written.
    package init(_ text: String) {
        self.text = text
    }

    package var description: String { self.text }

    /// Whether a name is meant. Takes time in proportion to the product of both lengths at most.
    package func matches(_ name: String) -> Bool {
        let (pattern, name) = (Array(self.text.utf8), Array(name.utf8))
        var (at, place) = (0, 0)
        // Where to go on when what follows the last star does not fit.
        var retry: (at: Int, place: Int)?
        while place < name.count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                retry = (at, place)
                at += 1
            } else if at < pattern.count, pattern[at] == name[place] {
                at += 1
                place += 1
            } else if let last = retry {
                retry = (last.at, last.place + 1)
                at = last.at + 1
                place = last.place + 1
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
