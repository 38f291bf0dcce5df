import ArgumentParser
import CastDiscovery

/// The device on the command line: `HOST[:PORT]`, an IPv6 address with a port in brackets, or `name=NAME`.
///
/// `--device NAME` becomes `name=NAME` before the arguments are parsed; no host has an equals sign in its name.
enum CastAddress: ExpressibleByArgument, Hashable, CustomStringConvertible {
    /// Where it answers; the port is 8009 when none is given.
    case place(CastPlace)
    /// What it is called, or its id.
    case device(String)

    /// What stands before the name of a device.
    static let namePrefix = "name="

    init?(argument: String) {
        if argument.hasPrefix(Self.namePrefix) {
            let name = String(argument.dropFirst(Self.namePrefix.count))
            if name.allSatisfy(\.isWhitespace) { return nil }
            self = .device(name)
        } else {
            guard let place = Self.place(argument) else { return nil }
            self = .place(place)
        }
    }

    private static func place(_ argument: String) -> CastPlace? {
        var host = Substring(argument)
        var port: Substring?
        if argument.hasPrefix("[") {
            guard let end = argument.firstIndex(of: "]") else { return nil }
            host = argument[argument.index(after: argument.startIndex)..<end]
            let rest = argument[argument.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if argument.count(where: { $0 == ":" }) == 1, let colon = argument.firstIndex(of: ":") {
            host = argument[..<colon]
            port = argument[argument.index(after: colon)...]
        }
        guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || $0 == "/" || $0 == "=" }) else { return nil }
        guard let port else { return CastPlace(host: String(host), port: 8009) }
        guard let number = Int(port), (1...65_535).contains(number) else { return nil }
        return CastPlace(host: String(host), port: number)
    }

    var description: String {
        switch self {
        case .place(let place): place.description
        case .device(let name): name
        }
    }
}

struct CastPlace: Hashable, Sendable, CustomStringConvertible {
    let host: String
    let port: Int
    /// Which device is meant; nil when any that answers there is.
    var identity: ExpectedDevice?

    /// Host and port; an IPv6 address stands in brackets.
    var description: String { self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)" }
}
