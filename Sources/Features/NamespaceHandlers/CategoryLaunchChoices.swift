package import GatewayCore

/// The choices beside `launch` that were made while the gateway runs: for all devices, and beside that for those of
/// some categories.
package struct CategoryLaunchChoices: Hashable, Sendable {
    /// The keys that can be chosen for one category: the app is one for all, since the device list follows it.
    package static let keys = LaunchChoices.Key.allCases.filter { $0 != .receiverApp }

    private var choices: [DeviceCategory?: LaunchChoices] = [:]

    package init() {}

    /// The choices for a category; nil means all devices. A category whose choices are taken back is not there any more.
    package subscript(category: DeviceCategory?) -> LaunchChoices {
        get { self.choices[category] ?? LaunchChoices() }
        set { self.choices[category] = newValue.keys.isEmpty ? nil : newValue }
    }

    /// The categories for which something is chosen, by name.
    package var categories: [DeviceCategory] {
        self.choices.keys.compactMap(\.self).sorted { $0.rawValue < $1.rawValue }
    }
}
