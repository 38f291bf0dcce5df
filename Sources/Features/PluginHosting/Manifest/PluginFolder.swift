package import GatewayConfig
internal import PluginKit

/// A plugin's folder: its manifest, and the schema of its configuration.
package struct PluginFolder: Sendable {
    package let path: String
    package let manifest: PluginManifest
    /// The schema of its configuration; nil when the manifest names none.
    package let schema: ValueSchema?
    /// The checked file, for messages that point into it.
    package let section: ConfigSection

    /// Reads and checks a folder.
    /// - Parameter id: the plugin's id that the folder's name promises.
    /// - Returns: the folder, nil when something is wrong with it; and the file with what is wrong, for
    ///   `ConfigDocument.adopt(_:)`.
    package static func load(
        path: String, id: String, fileSystem: ConfigFileSystem = .disk
    ) -> (folder: PluginFolder?, document: ConfigDocument) {
        let file = "\(path)/plugin.yaml"
        var document = ConfigDocument.load(
            path: file, schema: PluginManifest.schema, fileSystem: fileSystem, environment: [:],
            resolvesPaths: false)
        guard document.isComplete else { return (nil, document) }
        let root = document.root
        Self.check(root, id: id, problems: &document.problems)
        Self.checkProgram(root, in: path, fileSystem, &document.problems)
        var schema: ValueSchema?
        if let name = root.optionalString("config_schema") {
            if Self.isInside(name) {
                let loaded = ValueSchema.load(path: "\(path)/\(name)", fileSystem: fileSystem)
                document.adopt(loaded.document)
                schema = loaded.schema
            } else {
                Self.addOutside("config_schema", root, &document.problems)
            }
        }
        guard !document.problems.hasErrors else { return (nil, document) }
        let manifest = PluginManifest(reading: root)
        if manifest.kind != .socket, let fault = PluginFileRights.fault(of: path, command: manifest.command) {
            document.problems.add(
                .openToOthers, at: root.location("id"), "others could change what this plugin runs: \(fault)",
                hint: "chmod go-w, and chown to root or the user of the gateway")
            return (nil, document)
        }
        return (PluginFolder(path: path, manifest: manifest, schema: schema, section: root), document)
    }

    private static func check(_ root: ConfigSection, id: String, problems: inout ConfigProblems) {
        if root.isValid("id"), root.string("id") != id {
            problems.add(
                .unusableManifest, at: root.location("id"),
                "the id '\(root.string("id"))' differs from the folder's name '\(id)'",
                hint: "rename one of them; instances name a plugin by its folder")
        }
        let versions = root.section("protocol")
        if versions.isValid("min"), versions.isValid("max") {
            let (first, last) = (versions.integer("min"), versions.integer("max"))
            let own = PluginProtocol.versions
            if first > last {
                problems.add(.inconsistent, at: versions.location("min"), "'protocol.min' is above 'protocol.max'")
            } else if !own.overlaps(first...last) {
                problems.add(
                    .unusableManifest, at: versions.isWritten("min") ? versions.location("min") : versions.location,
                    "the plugin speaks versions \(first) to \(last) of the plugin protocol, this Castway \(own.lowerBound) to \(own.upperBound)",
                    hint: last < own.lowerBound ? "upgrade the plugin" : "upgrade Castway")
            }
        }
        if let command = root.optionalStrings("exec") {
            if let program = command.first {
                if program.contains("/"), !program.hasPrefix("/"), !Self.isInside(program) {
                    Self.addOutside("exec", root, &problems)
                }
            } else {
                problems.add(.inconsistent, at: root.location("exec"), "'exec' names no program")
            }
        }
        LoaderVariables.check(root, problems: &problems)
        PluginManifest.checkAll(root, problems: &problems)
        if let module = root.optionalString("module"), !Self.isInside(module) {
            Self.addOutside("module", root, &problems)
        }
    }

    /// A program in the folder that may not be executed. Without this the gateway says only that it cannot be started.
    private static func checkProgram(
        _ root: ConfigSection, in path: String, _ fileSystem: ConfigFileSystem, _ problems: inout ConfigProblems
    ) {
        guard let program = root.optionalStrings("exec")?.first, !program.isEmpty else { return }
        let file = program.hasPrefix("/") ? program : "\(path)/\(program)"
        guard let mode = fileSystem.permissions(file), mode & 0o111 == 0 else { return }
        problems.add(
            .unusableManifest, at: root.location("exec"), "the program '\(program)' is not executable",
            hint: "chmod +x \(file)")
    }

    /// True if a relative path stays below the folder.
    private static func isInside(_ path: String) -> Bool {
        !path.hasPrefix("/") && !path.split(separator: "/").contains("..")
    }

    private static func addOutside(_ key: String, _ root: ConfigSection, _ problems: inout ConfigProblems) {
        problems.add(
            .unusableManifest, at: root.location(key), "'\(key)' must lie in the plugin's folder",
            hint: "a path without '..' that does not begin with '/'")
    }
}
