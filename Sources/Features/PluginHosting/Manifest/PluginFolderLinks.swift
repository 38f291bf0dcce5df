package import GatewayConfig
import Glibc

/// Symbolic links in a plugin's folder that lead out of it.
///
/// The sandbox `strict` shows a plugin its own folder, and a link does not add what it leads to: a plugin's author could
/// otherwise name any file of the machine by a link. Such a plugin starts in the sandboxes `none` and `basic` and fails
/// in `strict`, so that its operator is told beforehand.
package enum PluginFolderLinks {
    struct Link: Equatable {
        /// Its path below the folder, such as `lib/tables.py`.
        let name: String
        /// The file or folder it leads to, with all links resolved.
        let target: String
    }

    private static let maximumEntries = 100_000
    private static let maximumDepth = 64

    /// Warns of links that a plugin in the sandbox `strict` cannot follow.
    ///
    /// Looks at every file of the folder, so it blocks.
    /// - Parameters:
    ///   - readable: what the plugin may read besides, by absolute paths.
    ///   - location: where the instance, or the plugin, is described.
    package static func check(
        _ folder: String, readable: [String], at location: ConfigLocation, problems: inout ConfigProblems
    ) {
        let kit = PythonKit.folder.map { [$0] } ?? []
        for link in Self.leadingOut(of: folder, readable: readable + kit) {
            problems.add(
                .linkLeadsOut, at: location,
                "'\(link.name)' is a link to '\(link.target)', which the sandbox 'strict' does not let the plugin read",
                hint: "put the file itself into the plugin's folder, or name it in 'readable'", severity: .warning)
        }
    }

    /// The links in a folder whose target lies neither in the folder nor in what may be read besides; by name.
    static func leadingOut(of folder: String, readable: [String]) -> [Link] {
        guard let root = AbsolutePath.resolved(AbsolutePath.of(folder)) else { return [] }
        let visible = [root] + readable.compactMap(AbsolutePath.resolved)
        var links: [Link] = []
        var entries = 0
        Self.collect(root, below: "", depth: 0, &entries) { name, path in
            // A link that leads nowhere is no file.
            guard let target = AbsolutePath.resolved(path) else { return }
            if !visible.contains(where: { target == $0 || target.hasPrefix($0 == "/" ? "/" : "\($0)/") }) {
                links.append(Link(name: name, target: target))
            }
        }
        return links.sorted { $0.name < $1.name }
    }

    private static func collect(
        _ folder: String, below prefix: String, depth: Int, _ entries: inout Int, found: (String, String) -> Void
    ) {
        guard depth < Self.maximumDepth, let stream = opendir(folder) else { return }
        defer { closedir(stream) }
        while entries < Self.maximumEntries, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            entries += 1
            let path = "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFLNK: found(prefix + name, path)
            case S_IFDIR: Self.collect(path, below: "\(prefix)\(name)/", depth: depth + 1, &entries, found: found)
            default: continue
            }
        }
    }
}
