/// A mapping of a configuration as a Swift type, each of whose keys is declared once.
///
/// The one declaration is an element of ``keys``: it names the key, the property, the type of the value, what the key means
/// and what a change of it does. Everything else follows from the list: the schema by which a file is checked, the reader
/// (``init(reading:)``), the reference, the JSON Schema for editors, what `config print` shows, and what a reload changes
/// (``ReloadDifference``). A default is the property's initial value and stands nowhere else.
///
/// ```swift
/// public struct ShutdownConfiguration: ConfigSettings {
///     /// How long connections may finish what they are doing.
///     public var drain = Duration.seconds(5)
///
///     public static let keys = [
///         Key("drain", \.drain, .duration(.zero ... .seconds(3600)), "How long connections may finish", reload: .hot)
///     ]
///
///     public init() {}
/// }
/// ```
///
/// A type all of whose keys may be left out is a ``ConfigSettings``.
package protocol ConfigObject: Sendable, Equatable {
    /// The keys, in the order in which they are documented and read: a key may look at what those before it have set.
    static var keys: [ConfigKey<Self>] { get }

    /// The values before anything is read: defaults, and something empty for keys that are required.
    ///
    /// Only the reader of a configuration can call this, and it hands the object out only when every required key was there,
    /// so that the empty values are never seen.
    init(blank: ConfigBlank)

    /// Adds what is wrong between the values of one mapping; called once for every mapping of this type in a file.
    ///
    /// Values may be invalid here, which has been reported: see ``ConfigSection/isValid(_:)``. What several mappings have to
    /// say together is checked by the feature that owns them.
    static func check(_ section: ConfigSection, problems: inout ConfigProblems)
}

/// A mapping all of whose keys may be left out: made without arguments it has every default.
package protocol ConfigSettings: ConfigObject {
    init()
}

/// The argument of ``ConfigObject/init(blank:)``, so that only the reader of a configuration can call it.
package struct ConfigBlank: Sendable {
    init() {}
}

extension ConfigObject {
    package typealias Key = ConfigKey<Self>

    /// The schema of a mapping of this type, with the defaults of the type.
    package static var schema: ConfigSchema { .object(of: self) }

    package init(reading section: ConfigSection) {
        self.init(blank: ConfigBlank())
        self.read(section)
    }

    /// Takes over the values that a checked mapping has; the others stay.
    package mutating func read(_ section: ConfigSection) {
        for key in Self.keys { key.read(section, into: &self) }
    }

    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {}

    /// Adds what is wrong between the values of a mapping and of those below it.
    package static func checkAll(_ section: ConfigSection, problems: inout ConfigProblems) {
        self.check(section, problems: &problems)
        for key in self.keys { key.check(section, problems: &problems) }
    }
}

extension ConfigSettings {
    package init(blank: ConfigBlank) { self.init() }

    /// The defaults with some changes: `SenderLimits { $0.frameTimeout = .seconds(1) }`.
    package init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}
