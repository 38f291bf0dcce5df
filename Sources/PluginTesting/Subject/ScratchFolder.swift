import Glibc

/// A folder for what a plugin under test writes; it goes with this object.
public final class ScratchFolder: Sendable {
    /// Its absolute path.
    public let path: String

    /// Makes a folder under `TMPDIR`, or `/tmp`.
    /// - Throws: ``SubjectError`` when none can be made.
    public init() throws(SubjectError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/castway-plugin-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("making a folder in \(parent)", errno) }
        self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(self.path) }

    /// Removes a file, or a folder with all that is in it; a link, not what it leads to.
    private static func remove(_ path: String) {
        guard unlink(path) != 0, let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { Self.remove("\(path)/\(name)") }
        }
        closedir(folder)
        rmdir(path)
    }
}
