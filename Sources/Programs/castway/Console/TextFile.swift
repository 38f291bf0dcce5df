import GatewayConfig

/// Reads whole files, those of `/proc` too.
enum TextFile {
    /// The text of a file; nil when it is not there, may not be read, or is longer than a limit.
    static func read(_ path: String, limit: Int = 1 << 20) -> String? {
        (try? ConfigFileSystem.disk.read(path, limit)).map { String(decoding: $0, as: UTF8.self) }
    }
}
