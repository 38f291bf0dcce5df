public import CastWire

/// What of `launch` was chosen while the gateway runs, in the place of what the file says; nil where the file holds.
public struct LaunchChoices: Hashable, Sendable {
    /// The names of what can be chosen.
    public enum Key: String, Hashable, Sendable, CaseIterable {
        case receiverApp = "receiver_app"
        case language
        case relaunchIfRunning = "relaunch_if_running"
        case androidReceiverCompatible = "android_receiver_compatible"
        case senderName = "sender_name"
    }

    /// The values, as operations and the state database have them.
    public private(set) var values: [Key: JSONValue]

    /// Nothing is chosen.
    public init() {
        self.values = [:]
    }

    /// A choice; `null` takes it back. A value of another type than the key's is no choice.
    public subscript(key: Key) -> JSONValue? {
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

    /// What is chosen, in the order of the keys.
    public var keys: [Key] { Key.allCases.filter { self.values[$0] != nil } }

    /// The app that sessions launch when none is named.
    public var receiverApp: AppID? { self.values[.receiverApp]?.stringValue.map { AppID(rawValue: $0) } }

    /// Puts newer choices over these.
    public func with(_ newer: LaunchChoices) -> LaunchChoices {
        var both = self
        both.values.merge(newer.values) { $1 }
        return both
    }

    /// Takes choices back.
    public func without(_ keys: [Key]) -> LaunchChoices {
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
