/// Makes several elements of a list from one that has `for_each`: one for each item, its placeholders filled in.
struct ForEachExpander {
    static let key = "for_each"
    /// The limit of items in one place.
    static let itemLimit = 10_000
    /// The number of bytes of text there may be in what all elements come to, 16 MiB.
    private static let byteLimit = 16 << 20

    /// The key as the reference and editors have it.
    static let field = ConfigField(
        Self.key,
        .oneOf(
            .list(of: .json),
            .object([
                ConfigField(
                    "range", .oneOf(.text(), .list(of: .text())), .required,
                    "The first and the last number, or several such ranges",
                    example: "1-20")
            ])), .optional,
        "Makes one element for each item of a list, or of a range (`{range: 1-20}`, `{range: [101-110, 201-210]}`). In the "
            + "texts of the element `{item}` is the item, `{name}` the value of a key of it, `{index}` its number from 1, and "
            + "`{item+8100}` a sum")

    private let sources: [String: ConfigSource]
    private(set) var problems: ConfigProblems
    /// The number of values that are still allowed.
    private(set) var nodesLeft: Int
    /// The number of bytes of text that are still allowed.
    private var bytesLeft = Self.byteLimit
    private var isLimitTold = false

    /// Prepares to expand lists.
    /// - Parameters:
    ///   - sources: the texts of the files, for places.
    ///   - nodesLeft: how many values elements may have in all.
    init(sources: [String: ConfigSource], problems: ConfigProblems, nodesLeft: Int) {
        self.sources = sources
        self.problems = problems
        self.nodesLeft = nodesLeft
    }

    /// The elements of a list, each that has `for_each` replaced by what comes of it.
    mutating func expand(_ elements: [ConfigNode]) -> [ConfigNode] {
        elements.flatMap { element in
            guard var entries = element.entries, let index = entries.firstIndex(where: { $0.key == Self.key }) else {
                return [element]
            }
            let forEach = entries.remove(at: index)
            return self.elements(of: ConfigNode(.mapping(entries), at: element.location), forEach)
        }
    }

    private mutating func elements(of template: ConfigNode, _ forEach: ConfigEntry) -> [ConfigNode] {
        let size = template.nodeCount
        // Items need not be read when nothing can be made of them.
        guard self.nodesLeft >= size, self.bytesLeft > 0 else {
            self.tellLimit(at: forEach.keyLocation)
            return []
        }
        guard let items = ForEachItems.read(forEach.value, problems: &self.problems) else { return [] }
        var filling = PlaceholderFilling(
            names: items.names, sources: self.sources, problems: self.problems, bytesLeft: self.bytesLeft)
        var result: [ConfigNode] = []
        for item in items.items {
            guard self.nodesLeft >= size, filling.bytesLeft >= 0 else { break }
            self.nodesLeft -= size
            result.append(filling.fill(template, with: item))
        }
        self.problems = filling.problems
        self.bytesLeft = filling.bytesLeft
        if result.count < items.items.count || self.bytesLeft < 0 { self.tellLimit(at: forEach.keyLocation) }
        // What stands in a text that cannot be taken apart may be used all the same.
        guard !filling.isMalformed else { return result }
        let isAlike = items.areSingle && filling.used.isDisjoint(with: [ForEachItems.whole, ForEachItems.number])
        self.reportUnused(items, filling.used, forEach)
        return isAlike ? Array(result.prefix(1)) : result
    }

    private mutating func tellLimit(at location: ConfigLocation) {
        guard !self.isLimitTold else { return }
        self.isLimitTold = true
        let words =
            self.bytesLeft > 0
            ? "'for_each' makes more than \(ShorthandExpander.nodeLimit) values"
            : "'for_each' makes more than \(Self.byteLimit >> 20) MiB of text"
        self.problems.add(
            .tooManyNodes, at: location, words, hint: "each item counts as all that the element has")
    }

    /// Warns of what an item brings along and the element does not use: most likely a slip.
    private mutating func reportUnused(_ items: ForEachItems, _ used: Set<String>, _ forEach: ConfigEntry) {
        guard !items.items.isEmpty else { return }
        if items.areSingle {
            guard !used.contains(ForEachItems.whole), !used.contains(ForEachItems.number) else { return }
            return self.problems.add(
                .badTemplate, at: forEach.keyLocation,
                "the element uses no item of its 'for_each', so all would be the same",
                hint: "write {item} where they differ, in the name for example")
        }
        for (name, location) in items.names where !used.contains(name) {
            self.problems.add(
                .badTemplate, at: location, "no placeholder of the element uses '\(name.shown)'",
                hint: "write {\(name.shown)} where it belongs, or remove it")
        }
    }
}

/// Fills the placeholders of one element for one item after the other.
private struct PlaceholderFilling {
    let names: [String: ConfigLocation]
    let sources: [String: ConfigSource]
    var problems: ConfigProblems
    /// The number of bytes of text that are still allowed; below zero when there were more.
    var bytesLeft: Int
    /// The names that were filled in so far.
    var used: Set<String> = []
    /// True if there is a text that cannot be taken apart.
    var isMalformed = false

    init(
        names: [String: ConfigLocation], sources: [String: ConfigSource], problems: ConfigProblems, bytesLeft: Int
    ) {
        self.names = names
        self.sources = sources
        self.problems = problems
        self.bytesLeft = bytesLeft
    }

    /// The node with its placeholders filled in, but for those of notes and keys, which have none.
    mutating func fill(_ node: ConfigNode, with item: ForEachItems.Item) -> ConfigNode {
        switch node.content {
        case .scalar(let scalar):
            guard scalar.text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else {
                return node
            }
            return self.fill(scalar, at: node.location, with: item)
        case .sequence(let elements):
            return ConfigNode(.sequence(elements.map { self.fill($0, with: item) }), at: node.location)
        case .mapping(var entries):
            for index in entries.indices where !entries[index].isNote {
                entries[index].value = self.fill(entries[index].value, with: item)
            }
            return ConfigNode(.mapping(entries), at: node.location)
        }
    }

    private mutating func fill(
        _ scalar: ConfigScalar, at location: ConfigLocation, with item: ForEachItems.Item
    ) -> ConfigNode {
        var result = scalar
        result.inserted = []
        guard self.takes(scalar.text) else { return ConfigNode(.scalar(Self.broken(result)), at: location) }
        do throws(PlaceholderText.Malformed) {
            let parts = try PlaceholderText(scalar.text, literal: scalar.inserted).parts
            var place = location
            place.item = item.place
            if parts.count == 1, case .placeholder(let terms, let written) = parts[0] {
                // The value is the item's, a number as well as a text.
                let value = self.value(of: terms, written, at: location, item)
                result = value ?? Self.broken(result)
                result.variables = scalar.variables + (value?.variables ?? [])
                return ConfigNode(.scalar(result), at: place)
            }
            var text = ""
            var hasPlaceholder = false
            for part in parts {
                switch part {
                case .text(let plain): text += plain
                case .placeholder(let terms, let written):
                    hasPlaceholder = true
                    guard let value = self.value(of: terms, written, at: location, item) else {
                        result.isBroken = true
                        continue
                    }
                    guard self.takes(value.text) else {
                        return ConfigNode(.scalar(Self.broken(result)), at: location)
                    }
                    text += value.text
                    result.variables += value.variables
                    result.isBroken = result.isBroken || value.isBroken
                }
            }
            result.text = text
            result.isPlain = false
            return ConfigNode(.scalar(result), at: hasPlaceholder ? place : location)
        } catch {
            self.isMalformed = true
            self.problems.add(
                .badTemplate, at: self.place(of: error.written, in: location), error.words, hint: error.hint)
            return ConfigNode(.scalar(Self.broken(result)), at: location)
        }
    }

    /// The value of a placeholder; nil when it has none, which has been reported.
    /// Whether there is room for a text.
    private mutating func takes(_ text: String) -> Bool {
        if self.bytesLeft >= 0 { self.bytesLeft -= text.utf8.count }
        return self.bytesLeft >= 0
    }

    private mutating func value(
        of terms: [PlaceholderText.Term], _ written: String, at location: ConfigLocation, _ item: ForEachItems.Item
    ) -> ConfigScalar? {
        if terms.count == 1, case .name(let name) = terms[0] { return self.value(named: name, written, location, item) }
        var sum = 0
        var variables: [String] = []
        for term in terms {
            var number: Int?
            switch term {
            case .number(let value): number = value
            case .name(let name):
                guard let value = self.value(named: name, written, location, item) else { return nil }
                if value.isBroken { return value }
                variables += value.variables
                number = value.text.utf8.count <= 10 ? CoreSchemaNumber.integer(value.text) : nil
                if number == nil {
                    self.report(
                        "'\(name)' is no whole number that can be added to"
                            + (value.variables.isEmpty ? ", but '\(value.text.shown)'" : ""), written, location, item)
                    return nil
                }
            }
            // Ten terms of ten digits at most would do; a text of 1 MiB has more.
            let (next, overflow) = sum.addingReportingOverflow(number ?? 0)
            guard !overflow else {
                self.report("'\(written.shown)' is too large", written, location, item)
                return nil
            }
            sum = next
        }
        return ConfigScalar(text: String(sum), style: .plain, isPlain: true, variables: variables)
    }

    private mutating func value(
        named name: String, _ written: String, _ location: ConfigLocation, _ item: ForEachItems.Item
    ) -> ConfigScalar? {
        self.used.insert(name)
        if let value = item.values[name] { return value }
        guard self.names[name] == nil else {
            self.problems.add(
                .badTemplate, at: item.place.location(in: location.file),
                "the item has no '\(name.shown)', which the element uses",
                hint: "other items have one")
            return nil
        }
        self.problems.addUndefined(
            name, what: "placeholder", at: self.place(of: written, in: location),
            known: self.names.keys.sorted() + [ForEachItems.number], place: ForEachExpander.key)
        return nil
    }

    private mutating func report(
        _ words: String, _ written: String, _ location: ConfigLocation, _ item: ForEachItems.Item
    ) {
        var place = self.place(of: written, in: location)
        place.item = item.place
        self.problems.add(.badTemplate, at: place, words)
    }

    private func place(of written: String, in location: ConfigLocation) -> ConfigLocation {
        self.sources[location.file]?.find(written, from: location) ?? location
    }

    private static func broken(_ scalar: ConfigScalar) -> ConfigScalar {
        var scalar = scalar
        scalar.isBroken = true
        return scalar
    }
}

extension ConfigNode {
    /// The number of values there are in it, itself and keys among them.
    var nodeCount: Int {
        switch self.content {
        case .scalar: 1
        case .sequence(let elements): elements.reduce(1) { $0 + $1.nodeCount }
        case .mapping(let entries): entries.reduce(1) { $0 + 1 + $1.value.nodeCount }
        }
    }
}
