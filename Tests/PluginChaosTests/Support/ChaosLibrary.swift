import Foundation

/// A library for a plugin that runs in process, and what is wrong with it.
enum ChaosLibrary: String, CaseIterable {
    case sound
    /// Half of one.
    case truncated
    /// Something else under its name.
    case text
    /// Not there.
    case missing
    // What the library itself says or lacks.
    case wrongABI, noSymbol, refuses, empty

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private struct NotBuilt: Error {}

    private var definition: String? {
        switch self {
        case .wrongABI: "WRONG_ABI"
        case .noSymbol: "NO_SYMBOL"
        case .refuses: "REFUSES"
        case .empty: "EMPTY"
        case .sound, .truncated, .text, .missing: nil
        }
    }

    /// Puts `module.so` into a folder.
    /// - Parameter fault: what it does wrong for a message of the type FAULT.
    func make(at folder: String, fault: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = "\(folder)/module.so"
        switch self {
        case .missing: return
        case .text: try Data("no library\n".utf8).write(to: URL(filePath: file))
        default: try self.build(file, fault: fault)
        }
        if self == .truncated {
            let whole = try Data(contentsOf: URL(filePath: file))
            try whole.prefix(whole.count / 2).write(to: URL(filePath: file))
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    }

    private func build(_ file: String, fault: String) throws {
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments =
            [
                "cc", "-shared", "-fPIC", "-pthread", "-w", "-I",
                Self.root.appending(path: "Sources/CLibraries/CPluginModule").path,
            ]
            + ["-DFAULT=\"\(fault)\"", "-o", file] + (self.definition.map { ["-D\($0)"] } ?? [])
            + [Self.root.appending(path: "Tests/Fixtures/plugins/modules/module.c").path]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw NotBuilt() }
    }
}
