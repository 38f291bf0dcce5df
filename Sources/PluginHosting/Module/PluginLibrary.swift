import CPluginModule
import Glibc

/// A shared library with a plugin in it. Never unloaded: Swift's runtime keeps pointers into it.
struct PluginLibrary {
    /// Why a library cannot be used.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The symbol that is looked up.
    static let symbol = "castway_plugin_open_v1"

    let path: String
    let open: castway_plugin_open_function

    /// Loads a library from a plugin's folder; blocks.
    /// - Throws: ``Failure`` with the path: when it lies elsewhere, when others than its owner may write it, when it cannot be
    ///   loaded, or has no entry.
    init(_ name: String, in folder: String) throws(Failure) {
        let wanted = "\(folder)/\(name)"
        guard let path = Self.realPath(wanted), let base = Self.realPath(folder) else {
            throw Failure(description: "\(wanted) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard path.hasPrefix(base + "/") else {
            throw Failure(description: "\(wanted) leads out of the plugin's folder, to \(path)")
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw Failure(description: "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw Failure(description: "\(path) belongs to another user (\(status.st_uid))")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw Failure(description: "\(path) can be written by others than its owner")
        }
        if let fault = ELFOutline.fault(of: path) {
            throw Failure(description: "\(path) cannot be loaded: \(fault)")
        }
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw Failure(description: "\(path) cannot be loaded: \(Self.reason)")
        }
        guard let entry = dlsym(handle, Self.symbol) else {
            throw Failure(description: "\(path) is no plugin: \(Self.reason)")
        }
        self.path = path
        self.open = unsafeBitCast(entry, to: castway_plugin_open_function.self)
    }

    private static var reason: String { dlerror().map { String(cString: $0) } ?? "no reason is known" }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
