package import CastWire

/// The choices in the place of `launch` in the file that were made while the gateway runs; nil where the file holds.
package struct LaunchChoices: Hashable, Sendable {
    /// The names of what can be chosen.
    package enum Key: String, Hashable, Sendable, CaseIterable {
        case receiverApp = "receiver_app"
        case language
        case relaunchIfRunning = "relaunch_if_running"
        case androidReceiverCompatible = "android_receiver_compatible"
        case senderName = "sender_name"
    }

    /// The values, as operations and the state database have them.
    package private(set) var values: [Key: JSONValue]

    package init() {
        self.values = [:]
    }

    /// A choice; `null` takes it back. A value of another type than the key's is no choice.
    package subscript(key: Key) -> JSONValue? {
        get { self.values[key] }
        set {
            switch (key, newValue) {
            case (.receiverApp, .string(let app)?): if AppID(rawValue: app).isValid { self.values[key] = newValue }
            case (.language, .string?), (.senderName, .string?), (.relaunchIfRunning, .bool?),
                (.androidReceiverCompatible, .bool?):
                self.values[key] = newValue
            case (_, nil), (_, .null?): self.values[key] = nil
            default: break
            }
        }
    }

    /// The chosen keys, in the order of the keys.
    package var keys: [Key] { Key.allCases.filter { self.values[$0] != nil } }

    /// The app that sessions launch when none is named.
    package var receiverApp: AppID? { self.values[.receiverApp]?.stringValue.map { AppID(rawValue: $0) } }

    package func with(_ newer: LaunchChoices) -> LaunchChoices {
        var both = self
        both.values.merge(newer.values) { $1 }
        return both
    }

    package func without(_ keys: [Key]) -> LaunchChoices {
        var rest = self
        for key in keys { rest.values[key] = nil }
        return rest
    }

    /// Changes a configuration into what was chosen.
    func apply(to configuration: inout LaunchConfiguration) {
        if let language = self.values[.language]?.stringValue { configuration.language = language }
        if let name = self.values[.senderName]?.stringValue { configuration.senderName = name }
        if let relaunches = self.values[.relaunchIfRunning]?.boolValue {
            configuration.relaunchesIfRunning = relaunches
        }
        if let isCompatible = self.values[.androidReceiverCompatible]?.boolValue {
            configuration.androidReceiverCompatible = isCompatible
        }
    }
}
