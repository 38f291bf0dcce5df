import GatewayConfig
import Glibc

struct PluginSkeleton {
    let language: PluginLanguage
    let name: String
    let namespace: String
    let directory: String
    let castway: CastwaySource?

    var folder: String { "\(FolderPath.trimmed(self.directory))/\(self.name)" }

    /// A name for a type: `HelloWorld` for `hello-world`.
    var typeName: String {
        let words = self.name.split { !$0.isLetter && !$0.isNumber }
        let joined = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return joined.first?.isNumber ?? true ? "Plugin\(joined)" : joined
    }

    var nextSteps: [String] {
        let build = self.language == .swift ? ["\(self.buildCommand)"] : []
        return build + [
            "castway plugin check \(self.folder)", "castway plugin test \(self.folder)",
            "castway plugin run \(self.folder)",
        ]
    }

    private var buildCommand: String { "swift build -c release --package-path \(self.folder)" }

    /// Makes the folder.
    /// - Throws: ``CommandFailure`` when it is there already, or a file cannot be written.
    func write() throws {
        guard access(self.folder, F_OK) != 0 else {
            throw CommandFailure(.refused, "\(self.folder) is there already; nothing was changed")
        }
        for file in self.files { try self.write(file) }
    }

    private struct File {
        var path: String
        var text: [UInt8]
        var isProgram = false
    }

    private var files: [File] {
        var files = [
            File(path: "plugin.yaml", text: self.filled(PackageResources.plugin_yaml_template)),
            File(path: "config.schema.json", text: PackageResources.config_schema_json_template),
            File(path: "README.md", text: self.filled(PackageResources.readme_md_template)),
            File(path: "tests/greeting.jsonl", text: self.filled(PackageResources.greeting_jsonl_template)),
        ]
        switch self.language {
        case .python:
            files += [
                File(path: self.program, text: self.filled(PackageResources.plugin_py_template), isProgram: true),
                File(path: ".gitignore", text: Array("__pycache__/\n".utf8)),
            ]
        case .sh:
            files.append(
                File(path: self.program, text: self.filled(PackageResources.plugin_sh_template), isProgram: true))
        case .swift:
            files += [
                File(path: "Package.swift", text: self.filled(PackageResources.package_swift_template)),
                File(path: "Sources/\(self.typeName).swift", text: self.filled(PackageResources.plugin_swift_template)),
                File(path: ".gitignore", text: Array(".build/\n".utf8)),
            ]
            // The same versions of the same packages, which the checkout has fetched already.
            if case .folder(let checkout)? = self.castway,
                let pins = try? ConfigFileSystem.disk.read("\(checkout)/Package.resolved", .max)
            {
                files.append(File(path: "Package.resolved", text: pins))
            }
        }
        return files
    }

    private var program: String {
        switch self.language {
        case .python: "plugin.py"
        case .sh: "plugin.sh"
        case .swift: ".build/release/\(self.name)"
        }
    }

    /// A paragraph of the README for plugins in Python.
    private static let aboutKit = """

        `import castway` is the kit, which comes with Castway and is on the plugin's path. Tests of your own, and your editor, find it
        with `PYTHONPATH=$(castway plugin kit)`.

        """

    private func filled(_ template: [UInt8]) -> [UInt8] {
        var text = String(decoding: template, as: UTF8.self)
        let values = [
            "NAME": self.name, "NAMESPACE": self.namespace, "PROGRAM": self.program, "TYPE": self.typeName,
            "FOLDER": self.folder, "DIRECTORY": FolderPath.trimmed(self.directory),
            "BUILD": self.language == .swift ? "\(self.buildCommand)\n" : "",
            "DEPENDENCY": self.castway?.dependency ?? "", "KIT": self.language == .python ? Self.aboutKit : "",
        ]
        for (name, value) in values { text = text.replacing("@\(name)@", with: value) }
        return Array(text.utf8)
    }

    private func write(_ file: File) throws {
        let path = "\(self.folder)/\(file.path)"
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/").dropLast() {
            made += "/\(part)"
            if mkdir(made, 0o755) != 0, errno != EEXIST { throw Self.failure(made) }
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file.isProgram ? 0o755 : 0o644)
        guard descriptor >= 0 else { throw Self.failure(path) }
        defer { close(descriptor) }
        guard FileDescriptor.write(file.text, to: descriptor) else { throw Self.failure(path) }
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure(.outputUnusable, "\(path) cannot be written: \(SystemError.text(errno))")
    }
}
