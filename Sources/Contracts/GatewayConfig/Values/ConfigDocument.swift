/// A configuration that has been read and checked, with everything that is wrong with it.
///
/// Use it in three steps: ``load(path:schema:fileSystem:environment:)``, then let the features add what they find
/// wrong between their values to ``problems``, then look at ``report()`` before reading typed values from ``root``.
package struct ConfigDocument: Sendable {
    /// The whole configuration, defaults filled in.
    package internal(set) var root: ConfigSection
    /// The problems so far; features add to them.
    package var problems: ConfigProblems
    /// True if every file could be read to its end; otherwise ``root`` has defaults only and says nothing.
    package let isComplete: Bool
    private var sources: [String: ConfigSource]
    private var secrets: [ConfigLocation]
    private var secretKeys: [String]

    /// The names of the files that were read, sorted: those that a reload must watch.
    package var files: [String] { self.sources.keys.sorted() }

    /// Reads a configuration file with all it includes, and checks it.
    ///
    /// - Parameters:
    ///   - path: The file, as it is to be shown in messages.
    ///   - schema: What the file may say; an object.
    ///   - environment: The variables that `${…}` may refer to. `CREDENTIALS_DIRECTORY` names the folder in which a
    ///     service manager hands over secrets.
    ///   - resolvesPaths: Whether relative paths are led to the folder of the file that holds them.
    package static func load(
        path: String,
        schema: ConfigSchema,
        fileSystem: ConfigFileSystem = .disk,
        environment: [String: String],
        resolvesPaths: Bool = true
    ) -> ConfigDocument {
        var loader = ConfigTreeLoader(fileSystem: fileSystem, environment: environment)
        let tree = loader.load(path)
        var validator = ConfigValidator(
            schema: schema, fileSystem: fileSystem, environment: environment, resolvesPaths: resolvesPaths,
            problems: loader.problems)
        var root = ConfigSection(path: "", location: .wholeFile(path), entries: [])
        if loader.isComplete {
            let expanded = ShorthandExpander.expand(tree, sources: loader.sources, validator: &validator)
            root = validator.root(expanded)
        }
        let secretKeys = schema.secretKeys().sorted()
        return ConfigDocument(
            root: root,
            problems: validator.problems,
            isComplete: loader.isComplete,
            sources: loader.sources,
            secrets: validator.secrets
                + loader.droppedValues.filter { $0.mayBeSecret(secretKeys) }.map(\.location),
            secretKeys: secretKeys
        )
    }

    /// Takes over what is wrong with another file that this configuration names, and the file itself among ``files``.
    package mutating func adopt(_ other: ConfigDocument) {
        self.problems.adopt(other.problems)
        self.sources.merge(other.sources) { own, _ in own }
        self.secrets += other.secrets
        self.secretKeys = Set(self.secretKeys + other.secretKeys).sorted()
    }

    /// Reads a file without checking it against anything; the tree is nil when it cannot be read to its end.
    static func loadTree(path: String, fileSystem: ConfigFileSystem) -> (tree: ConfigNode?, document: ConfigDocument) {
        var loader = ConfigTreeLoader(fileSystem: fileSystem, environment: [:])
        let tree = loader.load(path)
        let document = ConfigDocument(
            root: ConfigSection(path: "", location: .wholeFile(path), entries: []), problems: loader.problems,
            isComplete: loader.isComplete, sources: loader.sources,
            secrets: loader.droppedValues.filter { $0.mayBeSecret([]) }.map(\.location),
            secretKeys: [])
        return (loader.isComplete ? tree : nil, document)
    }

    /// The problems, sorted, with the lines that they are about.
    package func report() -> ConfigReport {
        ConfigReport(self.problems, sources: self.sources, secrets: self.secrets, secretKeys: self.secretKeys)
    }
}
