import CPluginModule
import Glibc

/// A shared library with a plugin in it. Never unloaded: Swift's runtime keeps pointers into it.
struct PluginLibrary {
    /// The reason a library cannot be used.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

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

extension PluginLibrary {
    /// Opens an instance of the library's plugin. What it is handed stays as long as the process.
    /// - Parameters:
    ///   - context: the first argument of `send`.
    ///   - send: takes what the plugin says, from any thread.
    /// - Throws: ``Failure`` when it was made for another version, or cannot work here.
    func makePlugin(
        instance: String, context: UnsafeMutableRawPointer,
        send: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Void
    ) throws(Failure) -> cw_plugin {
        let own = UInt32(CASTWAY_PLUGIN_ABI)
        let host = UnsafeMutablePointer<cw_host>.allocate(capacity: 1)
        host.initialize(
            to: cw_host(
                abi: own, size: UInt32(MemoryLayout<cw_host>.size), ctx: context, send: send,
                instance: Self.copy(instance)))
        var plugin = cw_plugin()
        plugin.abi = own
        plugin.size = UInt32(MemoryLayout<cw_plugin>.size)
        let status = self.open(host, &plugin)
        guard status == CASTWAY_PLUGIN_OK else {
            let reason =
                status == CASTWAY_PLUGIN_WRONG_ABI
                ? "was made for another version of the module interface; this Castway has \(own)"
                : "says that it cannot work here (\(status)); its reason stands in the log"
            throw Failure(description: "\(self.path) \(reason)")
        }
        guard plugin.abi == own else {
            let text = "was made for version \(plugin.abi) of the module interface; this Castway has \(own)"
            throw Failure(description: "\(self.path) \(text)")
        }
        guard plugin.size >= UInt32(MemoryLayout<cw_plugin>.size), plugin.receive != nil, plugin.close != nil else {
            throw Failure(description: "\(self.path) does not fill in what it must")
        }
        return plugin
    }

    private static func copy(_ text: String) -> UnsafePointer<CChar> {
        let bytes = Array(text.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        return UnsafePointer(copy)
    }
}
