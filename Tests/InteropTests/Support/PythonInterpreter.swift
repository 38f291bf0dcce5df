import Foundation

/// The Python that has pychromecast: `CASTWAY_PYTHON`, else `.venv/bin/python3` beside `Package.swift`.
struct PythonInterpreter {
    /// There is none, so nothing can be tested.
    struct Missing: Error, CustomStringConvertible {
        let path: String
        var description: String { "no Python with pychromecast at \(self.path): run make python" }
    }

    let url: URL

    init() throws(Missing) {
        let path =
            ProcessInfo.processInfo.environment["CASTWAY_PYTHON"]
            ?? Self.packageRoot.appending(path: ".venv/bin/python3").path
        guard FileManager.default.isExecutableFile(atPath: path) else { throw Missing(path: path) }
        self.url = URL(fileURLWithPath: path)
    }

    /// The drivers' scripts.
    static let drivers = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Drivers")

    private static var packageRoot: URL {
        Self.drivers.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }
}
