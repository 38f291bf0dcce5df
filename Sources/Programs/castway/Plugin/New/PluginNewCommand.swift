import ArgumentParser
import Glibc
import PluginHosting

struct PluginNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "new", "Makes a folder with a plugin that works: manifest, source, schema, transcript.",
        "The plugin answers HELLO in its namespace. Docs/your-first-handler.md goes on from there.",
        examples: [
            "castway plugin new --lang python hello",
            "castway plugin new --lang swift hello --directory /srv/plugins --castway ~/src/castway",
        ])

    @Option(help: .init("What it is written in: swift, python or sh.", valueName: "language")) var lang: PluginLanguage
    @Argument(help: "The plugin's id, which is the name of its folder: letters, digits, dots, dashes.") var name: String
    @Option(help: .init("Where the folder is made.", valueName: "path"), completion: .directory)
    var directory = "Plugins"

    @Option(
        help: .init(
            "The namespace that it answers in; default: urn:x-cast:com.example.NAME, or urn:x-cast:NAME for a name with a dot.",
            valueName: "urn"))
    var namespace: String?

    @Option(
        help: .init(
            "For Swift, the Castway that PluginKit is taken from: the folder of a checkout, or the URL of its repository.",
            valueName: "place"))
    var castway: String?

    @OptionGroup var colour: ColourOption

    func validate() throws {
        guard self.name.wholeMatch(of: /[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}/) != nil else {
            throw ValidationError("A plugin's name has letters, digits, dots, dashes and underscores, at most 64.")
        }
        if let namespace, namespace.wholeMatch(of: /urn:x-cast:[A-Za-z0-9._-]+/) == nil {
            throw ValidationError("A namespace is urn:x-cast: and a name such as com.example.hello.")
        }
        if self.castway != nil, self.lang != .swift {
            throw ValidationError("--castway is for Swift; Python and sh need no checkout.")
        }
    }

    /// The namespace of a plugin that is given none: a name with a dot is a reversed domain already.
    static func namespace(for name: String) -> String {
        "urn:x-cast:\(name.contains(".") ? "" : "com.example.")\(name)"
    }

    func run() throws {
        let skeleton = PluginSkeleton(
            language: self.lang, name: self.name, namespace: self.namespace ?? Self.namespace(for: self.name),
            directory: self.directory, castway: self.lang == .swift ? try CastwaySource.find(self.castway) : nil)
        try skeleton.write()
        let folder = skeleton.folder
        StandardOutput.write(
            lines: ["Made \(folder): a plugin that answers HELLO in \(skeleton.namespace).", "", "What comes next:"]
                + skeleton.nextSteps.map { "  \($0)" })
    }
}

enum PluginLanguage: String, ExpressibleByArgument, CaseIterable { case swift, python, sh }

/// Where a plugin in Swift takes PluginKit from.
enum CastwaySource: Hashable {
    /// A checkout, by its absolute path.
    case folder(String)
    case repository(String)

    /// What was named; else the checkout that this program was built in.
    /// - Throws: ``CommandFailure`` when there is none.
    static func find(_ named: String?) throws -> CastwaySource {
        guard let named else {
            if let checkout = OwnProgram.checkout, Self.isCheckout(checkout) { return .folder(checkout) }
            throw CommandFailure(
                .usage,
                "a plugin in Swift is built with Castway's PluginKit: name a checkout or a repository with --castway")
        }
        if named.contains("://") || named.hasPrefix("git@") { return .repository(named) }
        let path = FolderPath.absolute(named)
        guard Self.isCheckout(path) else {
            throw CommandFailure(.usage, "\(named) is no checkout of Castway: there is no Sources/Contracts/PluginKit")
        }
        return .folder(path)
    }

    private static func isCheckout(_ path: String) -> Bool {
        access("\(path)/Package.swift", R_OK) == 0 && access("\(path)/Sources/Contracts/PluginKit", R_OK) == 0
    }

    var dependency: String {
        switch self {
        case .folder(let path): ".package(name: \"castway\", path: \"\(path)\")"
        case .repository(let url): ".package(url: \"\(url)\", branch: \"main\")"
        }
    }
}
