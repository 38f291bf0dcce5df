/// Reads a configuration file and the files that it includes into one tree.
struct ConfigTreeLoader {
    /// The number of bytes a file may have.
    static let byteLimit = 1 << 20
    /// The limit of nested includes.
    static let includeDepthLimit = 4
    /// The number of files that may be included in all.
    static let fileLimit = 256

    let fileSystem: ConfigFileSystem
    let environment: [String: String]
    private(set) var problems = ConfigProblems()
    /// The texts of the files that were read, by name.
    private(set) var sources: [String: ConfigSource] = [:]
    /// True if every file was read to its end; otherwise checking the tree would report what is merely unread.
    private(set) var isComplete = true
    /// The values in the files that are not in the tree, since their key was there before.
    private(set) var droppedValues: [DroppedValue] = []
    private var nodesLeft = ConfigTreeBuilder.nodeLimit

    /// Prepares to read with these files and these environment variables.
    init(fileSystem: ConfigFileSystem, environment: [String: String]) {
        self.fileSystem = fileSystem
        self.environment = environment
    }

    /// Reads a file with everything it includes; the key `include` is no longer in the result.
    mutating func load(_ path: String) -> ConfigNode {
        self.file(path, includedAt: nil, depth: 0) ?? ConfigNode(.mapping([]), at: .wholeFile(path))
    }

    private mutating func file(_ path: String, includedAt place: ConfigLocation?, depth: Int) -> ConfigNode? {
        guard let tree = self.tree(path, includedAt: place) else {
            self.isComplete = false
            return nil
        }
        guard var entries = tree.entries else { return tree }
        guard let index = entries.firstIndex(where: { $0.key == "include" }) else { return tree }
        let include = entries.remove(at: index)
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        var merger = ConfigMerger(problems: ConfigProblems())
        for (included, place) in self.includedFiles(include.value, folder: folder, depth: depth) {
            guard self.mayRead(included, at: place), self.isInside(folder, included, at: place) else { continue }
            guard let node = self.file(included, includedAt: place, depth: depth + 1) else { continue }
            guard let others = node.entries else {
                self.problems.add(.wrongType, at: node.location, "the file must be a mapping of keys to values")
                continue
            }
            merger.problems = self.problems
            merger.merge(others, into: &entries)
            self.problems = merger.problems
            self.droppedValues += merger.droppedValues
            merger.droppedValues = []
        }
        return ConfigNode(.mapping(entries), at: tree.location)
    }

    private mutating func tree(_ path: String, includedAt place: ConfigLocation?) -> ConfigNode? {
        var bytes: [UInt8]
        do throws(ConfigFileError) {
            bytes = try self.fileSystem.read(path, Self.byteLimit)
        } catch {
            let code: ConfigProblem.Code = error == .tooLarge ? .fileTooLarge : .unreadableFile
            let reason = error == .tooLarge ? "it has more than 1 MiB" : error.reason
            self.problems.add(code, at: place ?? .wholeFile(path), "cannot read '\(path.shown)': \(reason)")
            return nil
        }
        if bytes.starts(with: ConfigSource.byteOrderMark) { bytes.removeFirst(ConfigSource.byteOrderMark.count) }
        let source = ConfigSource(file: path, bytes: bytes)
        self.sources[path] = source
        if let (location, reason) = Self.invalidText(bytes, file: path) {
            self.problems.add(.invalidEncoding, at: location, reason, hint: "save it as plain UTF-8 text")
            return nil
        }
        let tree = ConfigTreeBuilder.tree(
            bytes,
            source: source,
            nodesLeft: &self.nodesLeft,
            problems: &self.problems,
            droppedValues: &self.droppedValues
        )
        return tree.map {
            EnvironmentExpander.expand($0, environment: self.environment, source: source, problems: &self.problems)
        }
    }

    private mutating func includedFiles(
        _ node: ConfigNode,
        folder: String,
        depth: Int
    ) -> [(path: String, place: ConfigLocation)] {
        guard case .sequence(let patterns) = node.content else {
            self.problems.add(.wrongType, at: node.location, "'include' must be a list", hint: "write [conf.d/*.yaml]")
            return []
        }
        guard depth < Self.includeDepthLimit else {
            self.problems.add(
                .includeTooDeep,
                at: node.location,
                "includes are nested deeper than \(Self.includeDepthLimit) levels"
            )
            return []
        }
        var found: [String: ConfigLocation] = [:]
        for pattern in patterns {
            for path in self.matches(pattern, folder: folder) where found[path] == nil {
                found[path] = pattern.location
            }
        }
        return found.sorted { $0.key < $1.key }.map { (path: $0.key, place: $0.value) }
    }

    private mutating func mayRead(_ path: String, at place: ConfigLocation) -> Bool {
        if self.sources[path] != nil {
            self.problems.add(.includeRepeated, at: place, "'\(path.shown)' has already been read")
            return false
        }
        // The root is one of the sources.
        if self.sources.count > Self.fileLimit {
            self.problems.add(.includeTooDeep, at: place, "more than \(Self.fileLimit) files are included")
            return false
        }
        return true
    }

    /// True if a file lies in a folder or below it when links are followed. One that does not is not read at all.
    private mutating func isInside(_ folder: String, _ path: String, at place: ConfigLocation) -> Bool {
        guard let file = self.fileSystem.realPath(path), let parent = self.fileSystem.realPath(folder) else {
            return true
        }
        if parent == "/" || file.hasPrefix(parent + "/") { return true }
        self.problems.add(
            .includeOutside, at: place, "'\(path.shown)' is a link out of the folder of this file",
            hint: "put the file itself there")
        self.isComplete = false
        return false
    }

    private mutating func matches(_ node: ConfigNode, folder: String) -> [String] {
        guard case .scalar(let scalar) = node.content, !scalar.isNull else {
            self.problems.add(.wrongType, at: node.location, "'include' must be a list of file names and patterns")
            return []
        }
        if scalar.isBroken { return [] }
        let pattern = scalar.text
        let parts = pattern.split(separator: "/", omittingEmptySubsequences: false)
        guard !pattern.hasPrefix("/"), !parts.contains(".."), !pattern.isEmpty else {
            self.problems.add(
                .includeOutside,
                at: node.location,
                "'\(pattern.shown)' leaves the folder of this file",
                hint: "included files lie beside the file that includes them, or below"
            )
            return []
        }
        let hasWildcard = pattern.contains { $0 == "*" || $0 == "?" }
        let plain = parts.filter { $0 != "." && !$0.isEmpty }.joined(separator: "/")
        let found = self.fileSystem.find(folder, plain)
        if found.isEmpty {
            self.problems.add(
                .includeMatchesNothing,
                at: node.location,
                hasWildcard ? "no file matches '\(pattern.shown)'" : "there is no file '\(pattern.shown)'",
                severity: hasWildcard ? .warning : .error
            )
            if !hasWildcard { self.isComplete = false }
        }
        return found.map { folder + $0 }
    }

    /// The first thing in a text that YAML does not allow (YAML 1.2 section 5.1), and what it is; nil when there is none.
    private static func invalidText(_ bytes: [UInt8], file: String) -> (ConfigLocation, String)? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var line = 1
        var column = 1
        while true {
            let place = ConfigLocation(file: file, line: line, column: column)
            switch decoder.decode(&iterator) {
            case .emptyInput:
                return nil
            case .error:
                return (place, "the file is not UTF-8 text")
            case .scalarValue("\n"):
                (line, column) = (line + 1, 1)
            case .scalarValue(let scalar):
                column += 1
                switch scalar.value {
                case 0x09, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xFEFE, 0xFF00...0xFFFD, 0x10000...: break
                default:
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                    return (place, "the file has the control character U+\(number)")
                }
            }
        }
    }
}

/// Lays the trees of several files over one another without letting any of them win silently.
struct ConfigMerger {
    var problems: ConfigProblems
    var droppedValues: [DroppedValue] = []

    /// Adds the entries of a later file to those of earlier ones.
    ///
    /// Mappings merge, lists of mappings are appended; anything else that both files set is a problem that names both places.
    mutating func merge(_ later: [ConfigEntry], into earlier: inout [ConfigEntry], path: String = "") {
        var positions: [String: Int] = [:]
        for (index, entry) in earlier.enumerated() { positions[entry.key] = index }
        for entry in later {
            let path = path.isEmpty ? entry.key : "\(path).\(entry.key)"
            guard let index = positions[entry.key] else {
                positions[entry.key] = earlier.count
                earlier.append(entry)
                continue
            }
            if entry.isNote { continue }
            switch (earlier[index].value.content, entry.value.content) {
            case (.mapping(var entries), .mapping(let others)):
                self.merge(others, into: &entries, path: path)
                earlier[index].value.content = .mapping(entries)
            case (.sequence(let elements), .sequence(let others)) where Self.canAppend(elements, others):
                earlier[index].value.content = .sequence(elements + others)
            default:
                self.droppedValues.append(
                    DroppedValue(entry.value, keys: path.split(separator: ".").map(String.init)))
                self.problems.add(
                    .setInTwoFiles,
                    at: entry.keyLocation,
                    "'\(path.shown)' is set here and at \(earlier[index].keyLocation)",
                    hint: "keep it in one file"
                )
            }
        }
    }

    private static func canAppend(_ elements: [ConfigNode], _ others: [ConfigNode]) -> Bool {
        (elements + others).allSatisfy { $0.entries != nil }
    }
}
