/// Builds the tree of one file from the parser's events and enforces the limits on it.
struct ConfigTreeBuilder: ~Copyable {
    /// The limit of nested lists and mappings.
    static let depthLimit = 64
    /// The number of nodes a configuration may have, aliases expanded.
    static let nodeLimit = 50_000

    private struct Anchored {
        var node: ConfigNode
        var nodeCount: Int
        var depth: Int
    }

    private let source: ConfigSource
    private var reader: YAMLReader
    private var anchors: [String: Anchored] = [:]
    private var openAnchors: Set<String> = []
    private var nodeCount = 0
    private let nodesLeft: Int
    private var problems: ConfigProblems
    private var droppedValues: [DroppedValue] = []
    /// The keys that lead to where the builder is.
    private var keys: [String] = []

    private init(source: ConfigSource, reader: consuming YAMLReader, nodesLeft: Int, problems: ConfigProblems) {
        self.source = source
        self.reader = reader
        self.nodesLeft = nodesLeft
        self.problems = problems
    }

    /// Reads one file.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 text without NUL.
    ///   - source: The same text, for places.
    ///   - nodesLeft: How many nodes the file may still add; lowered by what it has.
    ///   - droppedValues: Receives what is left out, since its key was there before.
    /// - Returns: The root, an empty mapping for an empty file; nil when the text cannot be read to its end.
    static func tree(
        _ bytes: [UInt8],
        source: ConfigSource,
        nodesLeft: inout Int,
        problems: inout ConfigProblems,
        droppedValues: inout [DroppedValue]
    ) -> ConfigNode? {
        guard let reader = YAMLReader(bytes) else {
            problems.add(.unreadableFile, at: .wholeFile(source.file), "not enough memory to read the file")
            return nil
        }
        var builder = ConfigTreeBuilder(source: source, reader: reader, nodesLeft: nodesLeft, problems: problems)
        let root = try? builder.document()
        problems = builder.problems
        droppedValues += builder.droppedValues
        nodesLeft -= builder.nodeCount
        return root
    }

    private mutating func document() throws(ConfigReadingStopped) -> ConfigNode {
        var root: ConfigNode?
        while true {
            let event = try self.next()
            switch event.kind {
            case .streamEnd:
                return root ?? ConfigNode(.mapping([]), at: ConfigLocation(file: self.source.file, line: 1, column: 1))
            case .documentStart where root != nil:
                self.problems.add(
                    .severalDocuments,
                    at: self.location(event.start, event.end),
                    "a second YAML document starts here",
                    hint: "remove the '---', or include the second part as a file"
                )
                throw ConfigReadingStopped()
            case .documentStart:
                let first = try self.next()
                root = try self.node(first, depth: 1)
            default:
                break
            }
        }
    }

    private mutating func node(_ event: YAMLEvent, depth: Int) throws(ConfigReadingStopped) -> ConfigNode {
        if event.hasTag { self.reportTag(event) }
        if case .alias(let name) = event.kind { return try self.alias(name, event, depth: depth) }
        try self.count(1, at: event)
        if let anchor = event.anchor {
            // A second anchor of that name hides the first one, also while its value is still being read.
            self.anchors[anchor] = nil
            self.openAnchors.insert(anchor)
        }
        let before = self.nodeCount
        var node: ConfigNode
        var height = 0
        switch event.kind {
        case .scalar(let scalar):
            node = ConfigNode(.scalar(scalar), at: self.location(event.start, event.end))
        case .sequenceStart:
            try self.checkDepth(depth, event)
            (node, height) = try self.sequence(event, depth: depth)
        case .mappingStart:
            try self.checkDepth(depth, event)
            (node, height) = try self.mapping(event, depth: depth)
        default:
            node = ConfigNode(.scalar(ConfigScalar(text: "", style: .plain, isPlain: true)), at: self.location(event))
        }
        self.lastHeight = height
        if let anchor = event.anchor {
            self.openAnchors.remove(anchor)
            self.anchors[anchor] = Anchored(node: node, nodeCount: self.nodeCount - before + 1, depth: height)
        }
        return node
    }

    /// The number of levels of lists and mappings the node built last has.
    private var lastHeight = 0

    private mutating func sequence(
        _ start: YAMLEvent,
        depth: Int
    ) throws(ConfigReadingStopped) -> (ConfigNode, Int) {
        var elements: [ConfigNode] = []
        var height = 1
        while true {
            let event = try self.next()
            if case .collectionEnd = event.kind {
                let location = self.location(start.start, event.end, lastChild: elements.last?.location, event)
                return (ConfigNode(.sequence(elements), at: location), height)
            }
            elements.append(try self.node(event, depth: depth + 1))
            height = max(height, self.lastHeight + 1)
        }
    }

    private mutating func mapping(
        _ start: YAMLEvent,
        depth: Int
    ) throws(ConfigReadingStopped) -> (ConfigNode, Int) {
        var entries: [ConfigEntry] = []
        var places: [String: ConfigLocation] = [:]
        var merge = MergeKeys()
        var height = 1
        while true {
            let event = try self.next()
            if case .collectionEnd = event.kind {
                let location = self.location(start.start, event.end, lastChild: entries.last?.value.location, event)
                for entry in merge.complete(&entries) {
                    self.droppedValues.append(DroppedValue(entry.value, keys: self.keys + [entry.key]))
                }
                return (ConfigNode(.mapping(entries), at: location), height)
            }
            let key = try self.node(event, depth: depth + 1)
            height = max(height, self.lastHeight + 1)
            let valueEvent = try self.next()
            if MergeKeys.isOne(key) {
                let value = try self.node(valueEvent, depth: depth + 1)
                height = max(height, self.lastHeight + 1)
                merge.add(value, key: key, problems: &self.problems)
                continue
            }
            let text = self.keyText(key)
            self.keys.append(text ?? "")
            defer { self.keys.removeLast() }
            let value = try self.node(valueEvent, depth: depth + 1)
            height = max(height, self.lastHeight + 1)
            guard let text else { continue }
            if let first = places[text] {
                self.droppedValues.append(DroppedValue(value, keys: self.keys))
                self.problems.add(
                    .duplicateKey,
                    at: key.location,
                    "key '\(text.shown)' stands twice in the same mapping",
                    hint: "first at \(first)"
                )
            } else {
                places[text] = key.location
                entries.append(ConfigEntry(key: text, keyLocation: key.location, value: value))
            }
        }
    }

    private mutating func keyText(_ key: ConfigNode) -> String? {
        guard case .scalar(let scalar) = key.content, !scalar.isNull else {
            self.problems.add(.keyNotText, at: key.location, "a key must be a text", hint: "write 'key: value'")
            return nil
        }
        return scalar.text
    }

    private mutating func alias(
        _ name: String,
        _ event: YAMLEvent,
        depth: Int
    ) throws(ConfigReadingStopped) -> ConfigNode {
        guard let anchored = self.anchors[name] else {
            let isOpen = self.openAnchors.contains(name)
            self.problems.add(
                .undefinedAlias,
                at: self.location(event),
                isOpen ? "alias '*\(name.shown)' stands inside its own anchor" : "undefined alias '*\(name.shown)'",
                hint: isOpen ? nil : "an alias needs '&\(name.shown)' before it in the same file"
            )
            try self.count(1, at: event)
            self.lastHeight = 0
            let broken = ConfigScalar(text: "", style: .plain, isPlain: true, isBroken: true)
            return ConfigNode(.scalar(broken), at: self.location(event))
        }
        try self.count(anchored.nodeCount, at: event)
        try self.checkDepth(depth + anchored.depth - 1, event)
        self.lastHeight = anchored.depth
        return anchored.node
    }

    private mutating func count(_ added: Int, at event: YAMLEvent) throws(ConfigReadingStopped) {
        self.nodeCount += added
        guard self.nodeCount > self.nodesLeft else { return }
        self.nodeCount = self.nodesLeft
        self.problems.add(
            .tooManyNodes,
            at: self.location(event),
            "the configuration has more than \(Self.nodeLimit) values",
            hint: "aliases count as all that they stand for"
        )
        throw ConfigReadingStopped()
    }

    private mutating func checkDepth(_ depth: Int, _ event: YAMLEvent) throws(ConfigReadingStopped) {
        guard depth > Self.depthLimit else { return }
        self.problems.add(.tooDeep, at: self.location(event), "nested deeper than \(Self.depthLimit) levels")
        throw ConfigReadingStopped()
    }
}

extension ConfigTreeBuilder {
    private mutating func next() throws(ConfigReadingStopped) -> YAMLEvent {
        do throws(YAMLSyntaxError) {
            return try self.reader.next()
        } catch {
            self.report(error)
            throw ConfigReadingStopped()
        }
    }

    private func location(_ event: YAMLEvent) -> ConfigLocation {
        self.location(event.start, event.end)
    }

    private func location(_ start: YAMLEvent.Mark, _ end: YAMLEvent.Mark) -> ConfigLocation {
        ConfigLocation(
            file: self.source.file,
            line: start.line,
            column: start.column,
            endLine: end.line,
            endColumn: end.column
        )
    }

    /// A collection in block form ends where its last child does; its end event is already at the next thing.
    private func location(
        _ start: YAMLEvent.Mark,
        _ end: YAMLEvent.Mark,
        lastChild: ConfigLocation?,
        _ event: YAMLEvent
    ) -> ConfigLocation {
        var location = self.location(start, end)
        let isBlock = (event.start.line, event.start.column) == (event.end.line, event.end.column)
        if isBlock, let lastChild {
            location.endLine = max(lastChild.endLine, start.line)
            location.endColumn = lastChild.endColumn
        }
        return location
    }

    private mutating func reportTag(_ event: YAMLEvent) {
        let line = self.source.scalars(ofLine: event.start.line)
        let first = line.indices.first { $0 >= event.start.column - 1 && line[$0] == "!" } ?? event.start.column - 1
        let end = line.indices.first { $0 > first && [" ", "\t", ",", "]", "}"].contains(line[$0]) } ?? line.count
        let location = ConfigLocation(
            file: self.source.file,
            line: event.start.line,
            column: first + 1,
            endColumn: max(end, first + 1) + 1
        )
        self.problems.add(
            .tag,
            at: location,
            "YAML tags are not supported",
            hint: "use include, ${VARIABLE} or the '_file' form of a secret"
        )
    }

    private mutating func report(_ error: YAMLSyntaxError) {
        var mark = error.mark ?? YAMLEvent.Mark(line: 1, column: 1)
        var message = error.problem
        var hint = error.context
        if let context = error.contextMark, let words = error.context {
            if mark.line > self.source.lineCount {
                // The end of the file says nothing; what was left open does.
                mark = context
                message = "\(error.problem) \(words)"
                hint = nil
            } else if context.line != mark.line {
                hint = "\(words) that starts at line \(context.line)"
            }
        }
        let line = self.source.scalars(ofLine: mark.line)
        if line.indices.contains(mark.column - 1), line[mark.column - 1] == "\t" {
            message = "a tab cannot be used here"
            hint = "indent with spaces"
        } else if String(String.UnicodeScalarView(line)).contains("${") {
            hint = "inside [ ] and { } write \"${…}\" with quotes"
        } else if let advice = YAMLAdvice(error, at: mark, in: self.source) {
            if let words = advice.message { message = words }
            hint = advice.hint
        }
        let location = ConfigLocation(file: self.source.file, line: mark.line, column: mark.column)
        self.problems.add(.syntax, at: location, message, hint: hint)
    }
}

/// A value that is in a file and not in the tree, since its key was there before.
struct DroppedValue: Sendable {
    var location: ConfigLocation
    /// The keys that lead to it, its own last.
    var keys: [String]
    var isScalar: Bool

    init(_ node: ConfigNode, keys: [String]) {
        self.location = node.location
        self.keys = keys
        self.isScalar = if case .scalar = node.content { true } else { false }
    }

    /// True if it may be, or hold, what must not be shown. It was not checked, so its keys have to tell.
    func mayBeSecret(_ secretKeys: [String]) -> Bool {
        !self.isScalar || self.keys.contains { Secret.isNamed($0) || secretKeys.contains($0) }
    }
}

/// Thrown when a file cannot be read any further; the reason has already been added to the problems.
struct ConfigReadingStopped: Error {}
