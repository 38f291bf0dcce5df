/// Where a value came from.
public enum ConfigOrigin: Sendable, Hashable {
    /// A configuration file.
    case file(ConfigLocation)
    /// The key is not written anywhere.
    case `default`
    /// Environment variables, referred to at a place.
    case environment([String], ConfigLocation)
    /// A file with a secret, named at a place.
    case secretFile(String, ConfigLocation)

    /// The place in a configuration file; nil for a default.
    public var location: ConfigLocation? {
        switch self {
        case .file(let location), .environment(_, let location), .secretFile(_, let location): location
        case .default: nil
        }
    }

    /// The origin in a few words, without the column: `conf.d/rooms.yaml:3`.
    public var summary: String {
        switch self {
        case .file(let location): "\(location.file):\(location.line)"
        case .default: "default"
        case .environment(let names, _): "environment \(names.joined(separator: ", "))"
        case .secretFile(let path, _): "file \(path)"
        }
    }
}

extension ConfigOrigin: CustomStringConvertible {
    /// `file:line:column`, `default`, `environment VARIABLE` or `file PATH`.
    public var description: String {
        if case .file(let location) = self { "\(location)" } else { self.summary }
    }
}
