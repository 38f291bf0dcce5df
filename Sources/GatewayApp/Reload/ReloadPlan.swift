import GatewayConfig
import VirtualDevices

/// What a new configuration changes in a running gateway, key by key, in the order of `gateway.yaml`.
public struct ReloadPlan: Sendable, Hashable {
    /// The changes; empty when nothing differs.
    public internal(set) var changes: [ReloadChange] = []

    /// The keys that cannot change while the gateway runs.
    public var restartKeys: [String] { self.changes.filter { $0.reload == .restart }.map(\.path) }

    /// Compares two configurations.
    public init(from old: GatewayConfiguration, to new: GatewayConfiguration) {
        self.compareProcess(old, new)
        self.compareConnections(old, new)
        self.compareLists(
            "virtual_devices", old.virtualDevices, new.virtualDevices, name: \.name, reload: .listener
        ) { plan, path, before, after in plan.compareDevices(path, before, after) }
        self.compareRouting(old, new)
        self.comparePlugins(old.plugins, new.plugins)
    }

    /// Says of a key what else there is to know.
    mutating func note(_ path: String, _ note: String) {
        guard let index = self.changes.firstIndex(where: { $0.path == path }) else { return }
        self.changes[index].note = note
    }

    /// Adds a key whose value is the same though what it names is not.
    mutating func add(_ path: String, _ reload: ReloadClass, note: String) {
        guard !self.changes.contains(where: { $0.path == path }) else { return }
        self.changes.append(ReloadChange(path: path, reload: reload, note: note))
    }

    // MARK: How values are compared

    mutating func compare<Root, Value: Equatable>(
        _ path: String, _ reload: ReloadClass, _ key: KeyPath<Root, Value>, _ old: Root, _ new: Root
    ) {
        guard old[keyPath: key] != new[keyPath: key] else { return }
        self.changes.append(ReloadChange(path: path, reload: reload))
    }

    /// Makes sure that a section that differs appears, also by a key that is compared nowhere.
    mutating func compareRest<Root: Equatable>(_ path: String, _ reload: ReloadClass, _ old: Root, _ new: Root) {
        guard old != new, !self.changes.contains(where: { $0.path == path || $0.path.hasPrefix(path + ".") }) else {
            return
        }
        self.changes.append(ReloadChange(path: path, reload: reload))
    }

    /// Compares lists of named elements.
    mutating func compareLists<Element: Equatable>(
        _ path: String, _ old: [Element], _ new: [Element], name: KeyPath<Element, String>, reload: ReloadClass,
        compare: (inout ReloadPlan, String, Element, Element) -> Void
    ) {
        let before = Dictionary(old.map { ($0[keyPath: name], $0) }, uniquingKeysWith: { first, _ in first })
        for element in new {
            let own = "\(path).\(element[keyPath: name])"
            if let other = before[element[keyPath: name]] {
                compare(&self, own, other, element)
                self.compareRest(own, reload, other, element)
            } else {
                self.changes.append(ReloadChange(path: own, reload: reload, note: "added"))
            }
        }
        let kept = Set(new.map { $0[keyPath: name] })
        for element in old where !kept.contains(element[keyPath: name]) {
            self.changes.append(
                ReloadChange(path: "\(path).\(element[keyPath: name])", reload: reload, note: "removed"))
        }
    }
}
