public import GatewayCore

/// What of `launch` was chosen while the gateway runs: for all devices, and beside that for those of some categories.
public struct CategoryLaunchChoices: Hashable, Sendable {
    /// What can be chosen for one category: the app is one for all, since the device list follows it.
    public static let keys = LaunchChoices.Key.allCases.filter { $0 != .receiverApp }

    private var choices: [DeviceCategory?: LaunchChoices] = [:]

    /// Nothing is chosen.
    public init() {}

    /// What is chosen for a category; nil means all devices. A category whose choices are taken back is not there any more.
    public subscript(category: DeviceCategory?) -> LaunchChoices {
        get { self.choices[category] ?? LaunchChoices() }
        set { self.choices[category] = newValue.keys.isEmpty ? nil : newValue }
    }

    /// The categories for which something is chosen, by name.
    public var categories: [DeviceCategory] {
        self.choices.keys.compactMap(\.self).sorted { $0.rawValue < $1.rawValue }
    }
}
