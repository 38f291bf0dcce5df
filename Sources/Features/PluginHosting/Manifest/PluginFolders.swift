package import GatewayConfig

/// The folders of the plugins that `plugins.instances` names, by id.
package struct PluginFolders: Sendable {
    private var folders: [String: PluginFolder] = [:]

    package init() {}

    /// The folder of a plugin; nil when it could not be read or something is wrong with it.
    package subscript(id: String) -> PluginFolder? { self.folders[id] }

    /// Reads the folders of all plugins that the section names; what is wrong with them is added to the document.
    package static func load(
        for section: ConfigSection, into document: inout ConfigDocument, fileSystem: ConfigFileSystem
    ) -> PluginFolders {
        var folders = PluginFolders()
        var tried: Set<String> = []
        guard section.isValid("directory") else { return folders }
        let directory = section.string("directory")
        for instance in section.sections("instances") where instance.isValid("plugin") {
            let id = instance.string("plugin")
            guard tried.insert(id).inserted else { continue }
            let path = "\(directory)/\(id)"
            guard Self.hasManifest(path, fileSystem) else {
                document.problems.add(
                    .undefinedReference, at: instance.location("plugin"), "there is no plugin '\(id)'",
                    hint: "\(path)/plugin.yaml cannot be read; 'plugins.directory' is \(directory)")
                continue
            }
            let (folder, file) = PluginFolder.load(path: path, id: id, fileSystem: fileSystem)
            document.adopt(file)
            folders.folders[id] = folder
        }
        return folders
    }

    private static func hasManifest(_ path: String, _ fileSystem: ConfigFileSystem) -> Bool {
        (try? fileSystem.read("\(path)/plugin.yaml", 1 << 20)) != nil
    }
}
