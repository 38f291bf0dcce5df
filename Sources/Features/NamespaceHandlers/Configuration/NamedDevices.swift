import GatewayConfig
import GatewayCore

/// The devices that keys of a file may name: virtual ones, and on the leg `own` real ones.
package struct NamedDevices: Sendable {
    /// The names of the virtual devices; nil when they are not known for sure.
    package var virtual: [String]?
    /// The names of the groups of virtual devices, whose members stand in their place by now.
    package var groups: [String]
    /// The names of the real devices that the file has.
    package var real: [String]
    /// True if discovery may find others, which go by their ids.
    package var mayFindOthers: Bool

    package init(virtual: [String]?, groups: [String] = [], real: [String] = [], mayFindOthers: Bool = true) {
        self.virtual = virtual
        self.groups = groups
        self.real = real
        self.mayFindOthers = mayFindOthers
    }

    /// Adds a name, or a pattern, that fits no device of the legs that it is about.
    func check(_ value: ConfigValue, on legs: Set<MessageLeg>, _ problems: inout ConfigProblems) {
        guard let name = value.string else { return }
        let glob = Glob(name)
        if legs.contains(.sender) || legs.isEmpty {
            guard let virtual, !virtual.contains(where: glob.matches) else { return }
        }
        if legs.contains(.own) {
            if self.real.contains(where: glob.matches) { return }
            if self.mayFindOthers, glob.hasWildcards || Self.isID(name) { return }
            guard legs.contains(.sender) else {
                return problems.addUndefined(
                    name, what: "real device", at: value.location, known: self.real, place: "discovery.static")
            }
        }
        problems.addUndefined(
            name, what: "virtual device", at: value.location, known: (self.virtual ?? []) + self.groups,
            place: "virtual_devices")
    }

    /// True if a text is an id, by which a device goes that no file names: 32 hexadecimal digits, with or without hyphens.
    private static func isID(_ text: String) -> Bool {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        return digits.count == 32 && digits.allSatisfy { UnicodeScalar($0).properties.isASCIIHexDigit }
    }
}
