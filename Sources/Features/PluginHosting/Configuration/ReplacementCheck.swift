import GatewayConfig
import GatewayCore
import PluginKit

/// Checks `grant.replaces` of all instances: names, what the manifests ask for, and that one plugin at a device replaces a handler.
struct ReplacementCheck {
    /// The reason handlers of Castway's own other than those of ``ReplaceableHandler`` cannot be replaced: all of them are
    /// filters.
    private static let filters: [String: String] = [
        "rules": "rules are filters; switch them off for a device by 'handlers', and grant the plugin a filter",
        "launch-credentials":
            "switch it off by 'handlers', and grant the plugin a filter on LAUNCH in urn:x-cast:com.google.cast.receiver",
        "casting log": "grant the plugin an observer",
    ]

    /// One element of `replaces`, as it is written.
    private struct Element {
        let name: String
        let location: ConfigLocation
        let devices: [String]?
        let devicesLocation: ConfigLocation
    }

    private let plugins: [String]
    private let virtualDevices: [String]?
    /// The names of their groups, which may have been meant.
    private let groups: [String]
    private let owned: [String: String]
    private var granted: [(handler: String, devices: [String]?, plugin: String, location: ConfigLocation)] = []

    /// - Parameters:
    ///   - section: the checked section `plugins`.
    ///   - virtualDevices: the names of all virtual devices; nil when they are not known for sure.
    ///   - groups: the names of their groups, whose members stand in their place by now.
    ///   - owned: namespaces that have an owner already, with who it is.
    init(_ section: ConfigSection, virtualDevices: [String]?, groups: [String], owned: [String: String]) {
        self.plugins = section.sections("instances").map { $0.string("name") }
        self.virtualDevices = virtualDevices
        self.groups = groups
        self.owned = owned
    }

    /// Adds what is wrong with the replacements of one instance; instances come in the order of the file.
    mutating func check(_ instance: ConfigSection, _ folder: PluginFolder, problems: inout ConfigProblems) {
        for element in Self.elements(of: instance.section("grant")) {
            guard let handler = ReplaceableHandler(rawValue: element.name) else {
                self.refuse(element, problems: &problems)
                continue
            }
            if !folder.manifest.replaces.contains(handler) {
                let asked = folder.section
                problems.add(
                    .notRequested, at: element.location,
                    "'\(element.name)' is to be replaced, but '\(folder.manifest.id)' does not ask for it",
                    hint: asked.isWritten("replaces")
                        ? "what it asks for is at \(asked.location("replaces"))"
                        : "its plugin.yaml has no 'replaces', which says what it can replace")
            }
            self.checkDevices(element, problems: &problems)
            self.checkOthers(element, of: instance.string("name"), problems: &problems)
        }
    }

    /// The hint for a plugin that is granted to handle what a handler has already.
    static func hint(for claim: PluginClaim, in grant: ConfigSection) -> String {
        let filter = "grant a filter, which sees the messages first"
        guard let handler = ReplaceableHandler(owning: claim.match) else { return filter }
        if Self.elements(of: grant).contains(where: { $0.name == handler.rawValue }) {
            return "'replaces' grants it already; leave it out here"
        }
        return
            "write 'replaces: [\(handler.rawValue)]' into the grant, and the plugin is asked in its place; or \(filter)"
    }

    private static func elements(of grant: ConfigSection) -> [Element] {
        grant.list("replaces").compactMap { value in
            if let section = value.section {
                guard section.isValid("handler") else { return nil }
                let devices = section.has("devices") ? section.strings("devices") : nil
                return Element(
                    name: section.string("handler"), location: section.location("handler"), devices: devices,
                    devicesLocation: section.location("devices"))
            }
            return value.string.map {
                Element(name: $0, location: value.location, devices: nil, devicesLocation: value.location)
            }
        }
    }

    /// Says why a name is none of a handler that can be replaced.
    private func refuse(_ element: Element, problems: inout ConfigProblems) {
        let (name, place) = (element.name, element.location)
        if let hint = Self.filters[name] {
            problems.add(
                .notAllowed, at: place, "'\(name)' cannot be replaced; only handlers that own a namespace can",
                hint: hint)
        } else if let handler = ReplaceableHandler(owning: name) {
            problems.add(
                .undefinedReference, at: place, "'\(name)' is a namespace, and 'replaces' names handlers",
                hint: "write '\(handler.rawValue)'")
        } else if self.owned[name] != nil || name == "channel" || name.hasPrefix("channel ") {
            problems.add(
                .notAllowed, at: place, "a channel cannot be replaced",
                hint: "take it out of 'channels', or limit it to other devices, and grant the namespace to the plugin")
        } else if self.plugins.contains(name), !name.isEmpty {
            problems.add(
                .notAllowed, at: place, "'\(name)' is a plugin, and a plugin cannot be replaced",
                hint: "tell the grants of the two apart by 'devices' or 'types'")
        } else {
            problems.addUndefined(
                name, what: "handler", at: place, known: ReplaceableHandler.allCases.map(\.rawValue), place: "Castway")
        }
    }

    private func checkDevices(_ element: Element, problems: inout ConfigProblems) {
        for device in element.devices ?? [] {
            problems.addUngranted(
                device, at: element.devicesLocation, virtualDevices: self.virtualDevices, groups: self.groups)
        }
    }

    private mutating func checkOthers(_ element: Element, of plugin: String, problems: inout ConfigProblems) {
        let other = self.granted.first { other in
            guard other.handler == element.name else { return false }
            guard let left = other.devices, let right = element.devices else { return true }
            return !Set(left).isDisjoint(with: right)
        }
        if let other {
            let message =
                other.plugin == plugin
                ? "'\(element.name)' is replaced twice by '\(plugin)'"
                : "'\(element.name)' is replaced by '\(plugin)' and by '\(other.plugin)'"
            problems.add(
                .claimConflict, at: element.location, message,
                hint:
                    "one plugin for each virtual device: tell them apart by 'devices'; the other is at \(other.location)"
            )
        }
        self.granted.append((element.name, element.devices, plugin, element.location))
    }
}

extension ConfigProblems {
    /// Adds a real device that a grant on the leg `own` names and that is not there.
    /// - Parameter realDevices: the names of all real devices; nil when discovery may find others, which go by their ids.
    mutating func addUngranted(_ device: String, at location: ConfigLocation, realDevices: [String]?) {
        if Glob(device).hasWildcards {
            self.add(
                .notAllowed, at: location,
                "'\(device)' is a pattern, and a grant on the leg 'own' does not follow real devices",
                hint: "leave 'devices' out for all of them, or name each")
        } else if let realDevices, !realDevices.contains(device) {
            self.addUndefined(
                device, what: "real device", at: location, known: realDevices, place: "discovery.static")
        }
    }

    /// Adds a virtual device that a grant names and that is not there. Patterns and groups stand for their members by now.
    /// - Parameters:
    ///   - virtualDevices: the names of all virtual devices; nil when there are further ones, for discovered devices.
    ///   - groups: the names of their groups, which may have been meant.
    mutating func addUngranted(
        _ device: String, at location: ConfigLocation, virtualDevices: [String]?, groups: [String]
    ) {
        if let virtualDevices {
            guard !virtualDevices.contains(device) else { return }
            self.addUndefined(
                device, what: "virtual device", at: location, known: virtualDevices + groups, place: "virtual_devices")
        } else if Glob(device).hasWildcards {
            self.add(
                .notAllowed, at: location,
                "'\(device)' matches no virtual device of the file, and a grant does not follow discovered devices",
                hint: "leave 'devices' out for all of them, or name each")
        }
    }
}
