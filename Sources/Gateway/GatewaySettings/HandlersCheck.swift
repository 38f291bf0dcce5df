import GatewayConfig
import NamespaceHandlers

/// Checks what `handlers` says against the channels, plugins and virtual devices that there are, and tells what is off.
struct HandlersCheck {
    private let root: ConfigSection
    /// The names of all virtual devices; nil when they are not known for sure.
    private let virtualDevices: [String]?
    /// The names of their groups, which may have been meant.
    private let groups: [String]
    private let channels: [String]
    private let plugins: [String]

    init(_ root: ConfigSection, virtualDevices: [String]?, groups: [String]) {
        self.root = root
        self.virtualDevices = virtualDevices
        self.groups = groups
        self.channels = root.sections("channels").map { $0.string("namespace") }
        self.plugins = root.section("plugins").sections("instances").map { $0.string("name") }
    }

    /// Adds what is wrong with the list.
    func check(_ problems: inout ConfigProblems) {
        guard self.root.isWritten("handlers") else { return }
        let sections = self.root.sections("handlers")
        var places: [String: ConfigLocation] = [:]
        for section in sections where section.isValid("use") {
            self.checkNames(section, &problems)
            self.checkDevices(section, &problems)
            let words = HandlerSelection(reading: section).words
            if let first = places[words] {
                problems.add(
                    .duplicateName, at: section.location, "\(words) is listed twice in 'handlers'",
                    hint: "first at \(first)")
            }
            places[words] = places[words] ?? section.location
        }
        self.warnOfWhatIsOff(sections, &problems)
    }

    // MARK: One handler

    private func checkNames(_ section: ConfigSection, _ problems: inout ConfigProblems) {
        let use = section.string("use")
        for (key, owner) in [("name", HandlerSelection.Use.plugin), ("namespace", .channel)]
        where use != owner.rawValue && section.has(key) {
            let hints = ["channel": "a channel goes by its namespace", "plugin": "a plugin goes by its name"]
            problems.add(
                .inconsistent, at: section.location(key),
                "'\(section.path(key))' belongs to 'use: \(owner.rawValue)', not to '\(use)'", hint: hints[use])
        }
        if use == "plugin", let name = section.optionalString("name"), !self.plugins.contains(name) {
            problems.addUndefined(
                name, what: "plugin", at: section.location("name"), known: self.plugins, place: "plugins.instances")
        }
        if use == "channel", let name = section.optionalString("namespace"), !self.channels.contains(name) {
            problems.addUndefined(
                name, what: "channel", at: section.location("namespace"), known: self.channels, place: "channels")
        }
        if use == "rules", section.optionalString("on_failure") == "open" {
            problems.add(
                .inconsistent, at: section.location("on_failure"),
                "'\(section.path("on_failure"))' of the rules cannot be 'open'",
                hint: "what a rule cannot judge is always refused")
        }
    }

    private func checkDevices(_ section: ConfigSection, _ problems: inout ConfigProblems) {
        guard let virtualDevices, let value = section.value("devices") else { return }
        for device in value.list ?? [value] {
            guard let name = device.string, !virtualDevices.contains(where: Glob(name).matches) else { continue }
            problems.addUndefined(
                name, what: "virtual device", at: device.location, known: virtualDevices + self.groups,
                place: "virtual_devices")
        }
    }

    // MARK: What is off

    /// Warns of handlers that have something to do and are not listed, and of rules that judge nothing.
    private func warnOfWhatIsOff(_ sections: [ConfigSection], _ problems: inout ConfigProblems) {
        let isReadable = sections.count == self.root.list("handlers").count
        guard isReadable, sections.allSatisfy({ $0.isValid("use") }) else { return }
        let hasRules = !self.root.section("routing").list("rules").isEmpty
        let listed = sections.map(HandlerSelection.init(reading:))
        var left: [String] = []
        for use in HandlerSelection.Use.allCases where !listed.contains(where: { $0.use == use && $0.isWhole }) {
            switch use {
            case .rules: if hasRules { left.append("rules") }
            case .launchCredentials: if self.root.isWritten("launch") { left.append("launch-credentials") }
            case .receiver, .media, .multizone, .setup: left.append(use.rawValue)
            case .channel:
                let named = listed.compactMap(\.namespace)
                left += Set(self.channels).subtracting(named).sorted().map { "channel '\($0)'" }
            case .plugin:
                let named = listed.compactMap(\.name)
                left += Set(self.plugins).subtracting(named).sorted().map { "plugin '\($0)'" }
            }
        }
        if !left.isEmpty {
            problems.add(
                .handlerOff, at: self.root.location("handlers"),
                "not listed in 'handlers', and so off: \(left.joined(separator: ", "))",
                hint: "list it with 'enabled: false' if that is meant", severity: .warning)
        }
        for (section, selection) in zip(sections, listed)
        where hasRules && selection.use == .rules && !selection.isEnabled {
            problems.add(
                .handlerOff, at: section.location("enabled"), "the rules are off, so 'routing.rules' forbids nothing",
                hint: "remove the rules if that is meant", severity: .warning)
        }
    }
}

extension HandlerSelection {
    /// Whether it stands for every handler of its kind that is not named elsewhere.
    fileprivate var isWhole: Bool { self.name == nil && self.namespace == nil }
}
