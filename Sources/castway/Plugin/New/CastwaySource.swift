import Glibc

/// Where a plugin in Swift takes PluginKit from.
enum CastwaySource: Hashable {
    /// A checkout, by its absolute path.
    case folder(String)
    /// A repository.
    case repository(String)

    /// What was named; else the checkout that this program was built in.
    /// - Throws: ``CommandFailure`` when there is none.
    static func find(_ named: String?) throws -> CastwaySource {
        guard let named else {
            let parts = FolderPath.ofExecutable.split(separator: "/.build/", maxSplits: 1)
            if parts.count == 2, Self.isCheckout(String(parts[0])) { return .folder(String(parts[0])) }
            throw CommandFailure(
                .usage,
                "a plugin in Swift is built with Castway's PluginKit: name a checkout or a repository with --castway")
        }
        if named.contains("://") || named.hasPrefix("git@") { return .repository(named) }
        let path = FolderPath.absolute(named)
        guard Self.isCheckout(path) else {
            throw CommandFailure(.usage, "\(named) is no checkout of Castway: there is no Sources/PluginKit")
        }
        return .folder(path)
    }

    private static func isCheckout(_ path: String) -> Bool {
        access("\(path)/Package.swift", R_OK) == 0 && access("\(path)/Sources/PluginKit", R_OK) == 0
    }

    /// The dependency in `Package.swift`.
    var dependency: String {
        switch self {
        case .folder(let path): ".package(name: \"castway\", path: \"\(path)\")"
        case .repository(let url): ".package(url: \"\(url)\", branch: \"main\")"
        }
    }
}
