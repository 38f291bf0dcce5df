/// The effect of a changed key on a running gateway when it is reloaded. Raw values are printed and never change.
package enum ReloadClass: String, Sendable, Hashable, CaseIterable {
    /// In force at once; every connection and session stays.
    case hot
    /// A new address is listened on before the old one is given up; established connections stay.
    case listener
    /// The connection to a real device is made, moved or ended.
    case device
    /// A plugin is started, replaced or told; connections and sessions stay.
    case plugin
    /// Connections made from now on follow it; those that stand keep what they have.
    case newConnections = "new-connections"
    /// The reload is refused: the gateway has to be started again.
    case restart
}

/// One key that differs between two configurations, and what its change does.
package struct ReloadChange: Sendable, Hashable, CustomStringConvertible {
    /// The key, with the names of list elements in it: `virtual_devices.lobby.listen`.
    package let path: String
    package let reload: ReloadClass
    /// A note: `added`, `removed`, or what becomes of senders.
    package var note: String?

    package init(path: String, reload: ReloadClass, note: String? = nil) {
        self.path = path
        self.reload = reload
        self.note = note
    }

    /// The change as it is printed: `virtual_devices.lobby.listen (listener)`.
    package var description: String {
        "\(self.path) (\(self.reload.rawValue)\(self.note.map { ", \($0)" } ?? ""))"
    }
}

/// The keys in which two typed configurations differ, in the order of the schema.
///
/// Every ``ConfigKey`` compares its own property. While the keys of a mapping are compared, the difference knows the path that
/// leads to the mapping and the class that it gives to keys that declare none themselves.
package struct ReloadDifference: Sendable {
    package private(set) var changes: [ReloadChange] = []
    private var path = ""
    private var reload: ReloadClass?

    /// Compares two configurations of one type.
    package init<Root: ConfigObject>(from old: Root, to new: Root) {
        for key in Root.keys { key.compare(old, new, &self) }
    }

    /// Compares what stands below a key or an element of a list.
    /// - Parameter reload: the class that the key declares; nil for that of the mapping around it.
    mutating func within(_ name: String, reload: ReloadClass? = nil, _ compare: (inout ReloadDifference) -> Void) {
        let (path, inherited) = (self.path, self.reload)
        self.path = path.isEmpty ? name : "\(path).\(name)"
        self.reload = reload ?? inherited
        compare(&self)
        (self.path, self.reload) = (path, inherited)
    }

    /// Adds the key that is being compared. One that no mapping gives a class takes a restart, which is always right.
    mutating func addChange(note: String? = nil) {
        self.changes.append(ReloadChange(path: self.path, reload: self.reload ?? .restart, note: note))
    }
}
