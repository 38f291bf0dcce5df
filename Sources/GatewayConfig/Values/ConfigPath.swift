/// Paths in a configuration: a relative one starts at the folder of the file that holds it.
public enum ConfigPath {
    /// Where a path leads that a file of a configuration holds.
    ///
    /// - Parameters:
    ///   - path: The path as it is written, or as a variable gave it.
    ///   - file: The file that holds it, as it was named. A name without a folder is one in the working directory, and
    ///     leaves the path as it is.
    public static func resolved(_ path: String, in file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        var rest = Substring(path)
        while rest.hasPrefix("./") { rest = rest.dropFirst(2).drop { $0 == "/" } }
        return "\(file[...slash])\(rest.isEmpty ? "." : rest)"
    }
}
