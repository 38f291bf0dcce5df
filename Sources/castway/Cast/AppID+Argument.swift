public import ArgumentParser
public import CastWire

extension AppID: ExpressibleByArgument {
    /// Takes any text without blanks: devices also know apps by other names than eight digits.
    public init?(argument: String) {
        guard !argument.isEmpty, !argument.contains(where: \.isWhitespace) else { return nil }
        self.init(rawValue: argument)
    }

    /// As it is written.
    public var defaultValueDescription: String { self.rawValue }
}
