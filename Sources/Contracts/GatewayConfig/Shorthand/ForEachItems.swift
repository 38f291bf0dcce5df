/// The items that `for_each` lists, each with the values that placeholders may name.
struct ForEachItems {
    struct Item {
        var values: [String: ConfigScalar]
        var place: ConfigLocation.Item
    }

    /// The name of a single value: the item is not a mapping.
    static let whole = "item"
    /// The name of the item's number, from 1.
    static let number = "index"

    private(set) var items: [Item] = []
    /// The names that at least one item has, with the place of each in the first such item.
    private(set) var names: [String: ConfigLocation] = [:]
    /// True if the items are single values: a list of such, or a range.
    var areSingle: Bool { self.names.isEmpty || self.names.keys.elementsEqual([Self.whole]) }
    private var problems: ConfigProblems

    private init(problems: ConfigProblems) { self.problems = problems }

    /// Reads what stands behind `for_each`; nil when it is neither a list nor a range.
    static func read(_ node: ConfigNode, problems: inout ConfigProblems) -> ForEachItems? {
        var reader = ForEachItems(problems: problems)
        let isRead = reader.read(node)
        problems = reader.problems
        return isRead ? reader : nil
    }

    private mutating func read(_ node: ConfigNode) -> Bool {
        switch node.content {
        case .sequence(let elements):
            guard elements.count <= ForEachExpander.itemLimit else { return self.tooMany(at: node.location) }
            for element in elements { self.add(element) }
            return true
        case .mapping(let entries):
            let named = entries.filter { !$0.isNote }
            guard named.count == 1, let entry = named.first, entry.key == "range" else { break }
            return self.addRanges(entry.value)
        case .scalar(let scalar) where scalar.isBroken:
            return false
        case .scalar: break
        }
        self.problems.add(
            .badTemplate, at: node.location,
            "'for_each' must be a list, or a mapping with 'range', not \(node.shapeName)",
            hint: "such as for_each: [north, south], or for_each: {range: 1-20}")
        return false
    }

    // MARK: Items of a list

    private mutating func add(_ node: ConfigNode) {
        switch node.content {
        case .scalar(let scalar):
            guard !scalar.isNull else { return self.refuse(node, "an item of 'for_each' has no value") }
            self.add([Self.whole: scalar], at: node.location)
            self.names[Self.whole] = self.names[Self.whole] ?? node.location
        case .sequence:
            self.refuse(node, "an item of 'for_each' must be a single value or a mapping, not a list")
        case .mapping(let entries):
            var values: [String: ConfigScalar] = [:]
            for entry in entries where !entry.isNote {
                values[entry.key] = self.value(of: entry)
                guard Self.mayBeNamed(entry.key) else { continue }
                self.names[entry.key] = self.names[entry.key] ?? entry.keyLocation
            }
            self.add(values, at: node.location)
        }
    }

    private static func mayBeNamed(_ key: String) -> Bool {
        PlaceholderText.isName(key[...]) && key != Self.number && key != ForEachExpander.key
    }

    private mutating func value(of entry: ConfigEntry) -> ConfigScalar {
        if entry.key == ForEachExpander.key {
            self.problems.add(
                .badTemplate, at: entry.keyLocation, "'for_each' cannot stand inside 'for_each'",
                hint: "list every item, or write one element for each outer item")
        } else if entry.key == Self.number {
            self.problems.add(
                .badTemplate, at: entry.keyLocation, "'index' is the number of the item, which cannot be given",
                hint: "give the value another name")
        } else if !PlaceholderText.isName(entry.key[...]) {
            self.problems.add(
                .badTemplate, at: entry.keyLocation, "'\(entry.key.shown)' cannot be the name of a placeholder",
                hint: "names have letters, digits and '_'")
        } else if case .scalar(let scalar) = entry.value.content, !scalar.isNull {
            return scalar
        } else {
            self.problems.add(
                .badTemplate, at: entry.value.location,
                "'\(entry.key)' of an item of 'for_each' must be a single value",
                hint: "mappings and lists stand in the element, and are the same for all items")
        }
        // The key is there, so that placeholders of its name are no further problem.
        return ConfigScalar(text: "", style: .plain, isPlain: false, isBroken: true)
    }

    private mutating func add(_ values: [String: ConfigScalar], at location: ConfigLocation) {
        var values = values
        let index = self.items.count + 1
        values[Self.number] = ConfigScalar(text: String(index), style: .plain, isPlain: true)
        self.items.append(Item(values: values, place: ConfigLocation.Item(index: index, at: location)))
    }

    private mutating func refuse(_ node: ConfigNode, _ words: String) {
        self.problems.add(.badTemplate, at: node.location, words)
    }

    // MARK: Ranges

    private mutating func addRanges(_ node: ConfigNode) -> Bool {
        var nodes = [node]
        if case .sequence(let elements) = node.content { nodes = elements }
        for node in nodes {
            guard case .scalar(let scalar) = node.content, !scalar.isBroken, let range = Self.range(scalar.text) else {
                if case .scalar(let scalar) = node.content, scalar.isBroken { return false }
                self.problems.add(
                    .badTemplate, at: node.location,
                    "'range' must be whole numbers such as 1-20, not \(node.shapeName)",
                    hint: "the first and the last, up to 999999999, or a list of such ranges")
                return false
            }
            guard self.items.count + range.count <= ForEachExpander.itemLimit else {
                return self.tooMany(at: node.location)
            }
            self.names[Self.whole] = self.names[Self.whole] ?? node.location
            for number in range {
                self.add(
                    [Self.whole: ConfigScalar(text: String(number), style: .plain, isPlain: true)], at: node.location)
            }
        }
        return true
    }

    private static func range(_ text: String) -> ClosedRange<Int>? {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { part in
            part.utf8.count <= 9 ? CoreSchemaNumber.integer(String(part)) : nil
        }
        guard numbers.count == 2, let first = numbers[0], let last = numbers[1], first <= last else { return nil }
        return first...last
    }

    private mutating func tooMany(at location: ConfigLocation) -> Bool {
        self.problems.add(
            .tooManyNodes, at: location, "'for_each' has more than \(ForEachExpander.itemLimit) items")
        return false
    }
}
