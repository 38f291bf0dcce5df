import CastWire

/// The paths that a set-up port passes on: the device's description, and the pictures that it names. Everything else of a device's port
/// 8008 and all of its port 8443 stays closed: there are ways to reboot it, to rename it and to launch apps.
struct SetupPaths: Hashable {
    enum Wanted: Hashable {
        /// `/setup/eureka_info`, with the query that was asked.
        case information(String)
        case picture(String)

        /// The target of the request to the device.
        var target: String {
            switch self {
            case .information(let target): target
            case .picture(let path): path
            }
        }
    }

    static let information = "/setup/eureka_info"
    private static let maximumQuery = 512
    private static let maximumPath = 128
    /// The limit; more than any device names.
    private static let maximumPictures = 16
    private static let endings = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico"]

    /// The pictures that the device has named.
    private(set) var pictures: Set<String> = []

    /// Reads the target of a request; nil for what is not passed on.
    func wanted(_ target: String) -> Wanted? {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first else { return nil }
        if path == Self.information {
            guard parts.count == 2 else { return .information(target) }
            return Self.isPlainQuery(parts[1]) ? .information(target) : nil
        }
        guard parts.count == 1, self.pictures.contains(target) else { return nil }
        return .picture(target)
    }

    /// Takes the picture that the device's announcement names; those that it has named before are forgotten.
    mutating func follow(iconPath: String?) {
        self.pictures = []
        if let iconPath { self.add(iconPath) }
    }

    /// Takes the pictures that the device's own description names.
    mutating func learn(_ information: JSONValue) {
        guard let object = information.objectValue else { return }
        let lists = [object.array("icon_list"), object.object("detail")?.array("icon_list")]
        for icon in lists.compactMap(\.self).joined().prefix(Self.maximumPictures) {
            if let url = icon.objectValue?.string("url") { self.add(url) }
        }
    }

    private mutating func add(_ path: String) {
        guard self.pictures.count < Self.maximumPictures, Self.isPicture(path) else { return }
        self.pictures.insert(path)
    }

    private static func isPicture(_ path: String) -> Bool {
        path.utf8.count <= Self.maximumPath && path.hasPrefix("/") && !path.contains("//") && !path.contains("..")
            && path.utf8.allSatisfy { Self.isPlain($0) || $0 == UInt8(ascii: "/") }
            && Self.endings.contains { path.lowercased().hasSuffix($0) }
    }

    private static func isPlainQuery(_ query: Substring) -> Bool {
        query.utf8.count <= Self.maximumQuery
            && query.utf8.allSatisfy { Self.isPlain($0) || [",", "=", "&", "%", "+"].contains(UnicodeScalar($0)) }
    }

    /// Letters, digits, `.`, `_` and `-`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
