import Glibc

/// The rights of others on a plugin's files: its folder with everything in it, the folder that holds it, and its program.
///
/// Only root and the gateway's user may. What belongs to another user, or can be written by others, is named; a group may
/// write when it is the private group of the file's owner, which has the owner's name and no other members.
enum PluginFileRights {
    private static let maximumEntries = 100_000
    private static let maximumDepth = 64

    /// The first file or folder that others could change, and how; nil when there is none, or no such folder.
    ///
    /// Looks at every file, so it blocks.
    /// - Parameter command: the program and its arguments; nil for a plugin that is no process.
    static func fault(of folder: String, command: [String]?) -> String? {
        let folder = AbsolutePath.of(folder)
        guard let status = Self.status(of: folder) else { return nil }
        let parent = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
        if let status = Self.status(of: parent.isEmpty ? "/" : parent),
            let fault = Self.fault(parent, status, mayBeSticky: true)
        {
            return fault
        }
        if let fault = Self.fault(folder, status) { return fault }
        var entries = 0
        if let fault = Self.faultInside(folder, depth: 0, &entries) { return fault }
        guard let name = command?.first,
            let program = PluginLaunch.program(name, in: folder, isExecutable: { access($0, X_OK) == 0 }),
            let status = Self.status(of: program)
        else { return nil }
        return Self.fault(program, status)
    }

    private static func faultInside(_ folder: String, depth: Int, _ entries: inout Int) -> String? {
        guard depth < Self.maximumDepth else { return "\(folder) is nested too deep to be looked through" }
        guard let stream = opendir(folder) else {
            return "\(folder) cannot be looked through: \(String(cString: strerror(errno)))"
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            entries += 1
            guard entries <= Self.maximumEntries else {
                return "\(folder) holds more files than can be looked through (\(Self.maximumEntries))"
            }
            let path = "\(folder)/\(name)"
            // A link itself cannot be written; what it leads to can. One that leads nowhere is no file.
            guard let status = Self.status(of: path) else { continue }
            let kind = status.st_mode & S_IFMT
            guard kind == S_IFREG || kind == S_IFDIR else { continue }
            if let fault = Self.fault(path, status) { return fault }
            if kind == S_IFDIR, !Self.isLink(path), let fault = Self.faultInside(path, depth: depth + 1, &entries) {
                return fault
            }
        }
        return nil
    }

    /// - Parameter mayBeSticky: whether others may write when they cannot take away what is not theirs, as in `/tmp`.
    private static func fault(_ path: String, _ status: stat, mayBeSticky: Bool = false) -> String? {
        let owner = status.st_uid
        let mode = status.st_mode
        guard Self.isTrusted(owner) else {
            return "\(path) belongs to the user \(owner), and neither to root nor to the user of the gateway"
        }
        if mayBeSticky, mode & S_ISVTX != 0 { return nil }
        if mode & S_IWOTH != 0 { return "\(path) can be written by every user" }
        if mode & S_IWGRP != 0, !Self.isPrivate(status.st_gid, of: owner) {
            return "\(path) can be written by the group \(status.st_gid)"
        }
        return nil
    }

    /// Root, this process's user, and whom the system's own files belong to: in a user namespace root may have no number.
    private static func isTrusted(_ user: uid_t) -> Bool {
        user == 0 || user == geteuid() || user == Self.status(of: "/")?.st_uid
    }

    /// True if a group is its owner's alone, as user private groups are.
    private static func isPrivate(_ group: gid_t, of owner: uid_t) -> Bool {
        let size = 65_536
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2 * size) { buffer in
            guard let start = buffer.baseAddress else { return false }
            var user = passwd()
            var foundUser: UnsafeMutablePointer<passwd>?
            var entry = Glibc.group()
            var foundGroup: UnsafeMutablePointer<Glibc.group>?
            guard getpwuid_r(owner, &user, start, size, &foundUser) == 0, foundUser != nil, user.pw_gid == group,
                getgrgid_r(group, &entry, start + size, size, &foundGroup) == 0, foundGroup != nil,
                strcmp(entry.gr_name, user.pw_name) == 0
            else { return false }
            var member = entry.gr_mem
            while let name = member?.pointee {
                guard strcmp(name, user.pw_name) == 0 else { return false }
                member = member?.successor()
            }
            return true
        }
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
