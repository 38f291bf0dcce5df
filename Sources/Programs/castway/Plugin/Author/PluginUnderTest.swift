import CastWire
import GatewayConfig
import PluginHosting
import PluginTesting

/// A plugin's folder, as an author names it.
struct PluginUnderTest {
    let folder: PluginFolder
    let name: String

    /// Reads and checks the folder; what is wrong with it goes to standard error.
    /// - Parameter sandbox: the sandbox that it is tried in.
    /// - Throws: ``CommandFailure`` when anything is.
    init(_ path: String, sandbox: PluginSandbox) throws {
        let path = FolderPath.absolute(path)
        self.name = FolderPath.name(path)
        var (folder, document) = PluginFolder.load(path: path, id: self.name)
        if let folder, sandbox == .strict {
            PluginFolderLinks.check(
                folder.path, readable: [], at: folder.section.location("id"), problems: &document.problems)
        }
        let report = document.report()
        StandardError.write(Terminal.error.report(report.text()))
        guard let folder, !report.hasErrors else { throw CommandFailure(.configurationInvalid) }
        self.folder = folder
    }

    var title: String { "\(self.folder.manifest.id) \(self.folder.manifest.version)".printable }

    /// The plugin as an instance to which all is granted that it asks for.
    func instance(sandbox: PluginSandbox, config: JSONObject = [:]) -> PluginInstance {
        let manifest = self.folder.manifest
        var settings = PluginSettings()
        settings.sandbox = sandbox
        return PluginInstance(name: self.name, plugin: manifest.id, folder: self.folder.path, manifest: manifest) {
            $0.kind = manifest.kind
            $0.namespaces = manifest.claims.map { GrantedNamespace($0) }
            $0.replaces = manifest.replaces.map { GrantedReplacement($0) }
            $0.send = manifest.needs.send
            $0.events = manifest.needs.events
            $0.network = manifest.needs.network
            $0.storage = manifest.needs.storage
            $0.config = config
            $0.settings = settings
        }
    }

    /// What is started to test it: its program, or this one with its library in it, so that a crash is a verdict.
    /// - Throws: ``CommandFailure`` for a plugin that others start.
    func program(sandbox: PluginSandbox) throws -> SubjectProgram {
        var instance = self.instance(sandbox: sandbox)
        if instance.manifest.command == nil {
            guard let library = instance.manifest.module else {
                throw CommandFailure(
                    .refused,
                    "\(self.folder.path)/plugin.yaml names no program in exec and no library in module, so there is nothing to start"
                )
            }
            instance.kind = .process
            instance.manifest.command = [OwnProgram.path, "plugin", "host", library, "--instance", self.name]
            // A strict sandbox shows a plugin only its own folder.
            instance.readable.append(OwnProgram.path)
        }
        return SubjectProgram(instance)
    }

    /// The configuration that it is tried with: one that is given in JSON, else that of its first transcript.
    /// - Throws: ``CommandFailure`` for what is no JSON object.
    func configuration(given json: String?) throws -> JSONObject {
        guard let json else { return try self.transcripts().first?.transcript.config ?? [:] }
        guard let object = (try? JSONReader.read(document: json))?.objectValue else {
            throw CommandFailure(.usage, "--config is a JSON object")
        }
        return object
    }

    /// The transcripts in the folder: paths, as they are shown, and contents.
    /// - Throws: ``CommandFailure`` when one cannot be read.
    func transcripts() throws -> [(path: String, text: String, transcript: Transcript)] {
        let names = try FolderPath.files(in: "\(self.folder.path)/tests").filter { $0.hasSuffix(".jsonl") }.sorted()
        return try names.map { name in
            let path = "\(self.folder.path)/tests/\(name)"
            guard let text = TextFile.read(path, limit: .max) else {
                throw CommandFailure(.refused, "\(path) cannot be read")
            }
            do {
                return (path, text, try Transcript(text))
            } catch {
                throw CommandFailure(.configurationInvalid, "\(path): \(error)")
            }
        }
    }
}
