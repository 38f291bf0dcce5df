package import CastWire

/// The schema and the rules that inputs of an operation are checked against. Made once: building a schema and parsing its defaults,
/// which are YAML, takes longer than checking an input.
package struct InputCheck: Sendable {
    fileprivate let schema: ConfigSchema
    fileprivate let defaults = ParsedDefaults()
    /// Adds what is wrong between values that fit the schema, each by itself.
    fileprivate let check: @Sendable (ConfigSection, inout ConfigProblems) -> Void

    /// Checks objects against the keys of a type.
    package init<Input: ConfigObject>(of type: Input.Type) {
        self.schema = Input.schema
        self.check = { Input.checkAll($0, problems: &$1) }
    }

    /// Checks objects against a schema alone.
    package init(_ schema: ConfigSchema) {
        self.schema = schema
        self.check = { _, _ in }
    }
}

/// JSON that a program sent, checked against a schema as a configuration file is: typed values, the problems at once, each
/// with the JSON pointer (RFC 6901) of what it is about.
///
/// The rules are those of files with three exceptions that follow from JSON: a text is a text, so `"5"` is no number; its length
/// is that of JSON Schema, in code points; and nothing is expanded, included or read from disk.
package struct CheckedInput: Sendable {
    package struct Fault: Sendable, Hashable {
        /// The place of the fault: `/media/url`, or `` for the whole.
        package let pointer: String
        package let code: ConfigProblem.Code
        /// The fault, without a full stop.
        package let message: String
        /// The remedy.
        package let hint: String?

        /// A text that should have been JSON, where any JSON is taken.
        /// - Parameter key: the key that it was written for.
        package static func noJSON(_ text: String, for key: String) -> Fault {
            Fault(
                pointer: "/" + ConfigNode.escaped(key), code: .wrongType,
                message: "'\(key.shown)' must be JSON, not '\(text.shown)'",
                hint: "a text has quotes, as in \"word\"")
        }
    }

    /// Nothing that a caller names is opened.
    private static let noFiles = ConfigFileSystem(
        read: { (_, _) throws(ConfigFileError) in throw .notFound }, find: { _, _ in [] }, permissions: { _ in nil })

    /// The values, defaults filled in; says nothing while there are ``faults``.
    package let section: ConfigSection
    /// The faults, of many the first 100; names that stand twice come first.
    package let faults: [Fault]
    /// The number of further faults that were found.
    package let moreFaults: Int

    /// The number of values an input may have, without those within values that may be anything.
    private static let nodeLimit = 20_000

    /// Checks an object against the keys of a type.
    package init<Input: ConfigObject>(_ json: JSONObject, as type: Input.Type) {
        self.init(json, by: InputCheck(of: type))
    }

    /// Checks an object against a schema.
    package init(_ json: JSONObject, schema: ConfigSchema) { self.init(json, by: InputCheck(schema)) }

    /// Checks an object.
    package init(_ json: JSONObject, by input: InputCheck) {
        var problems = ConfigProblems()
        var path: [JSONPointer.Step] = []
        Self.reportRepeated(.object(json), at: &path, &problems)
        var left = Self.nodeLimit
        let node = ConfigNode(json: .object(json), as: [input.schema], at: JSONPointer(), nodesLeft: &left)
        if left < 0 {
            problems.add(.tooManyNodes, at: .wholeFile(""), "the input has more than \(Self.nodeLimit) values")
        }
        var validator = ConfigValidator(
            schema: input.schema, fileSystem: Self.noFiles, resolvesPaths: false, defaults: input.defaults,
            problems: problems)
        validator.readsJSON = true
        // What is too long was not taken whole, so that nothing can be said of its parts.
        let section = validator.root(left < 0 ? ConfigNode(.mapping([]), at: .wholeFile("")) : node)
        problems = left < 0 ? problems : validator.problems
        if !problems.hasErrors { input.check(section, &problems) }
        self.section = section
        self.faults = problems.all.filter { $0.severity == .error }.map {
            Fault(pointer: $0.location.file, code: $0.code, message: $0.message, hint: $0.hint)
        }
        self.moreFaults = problems.droppedCount
    }

    /// Reports the names that stand twice in an object: programs differ in which of them counts (RFC 8259, 4).
    private static func reportRepeated(
        _ json: JSONValue, at path: inout [JSONPointer.Step], _ problems: inout ConfigProblems
    ) {
        guard !problems.isFull else { return }
        switch json {
        case .array(let elements):
            for (index, element) in elements.enumerated() where element.isContainer {
                path.append(.index(index))
                self.reportRepeated(element, at: &path, &problems)
                path.removeLast()
            }
        case .object(let object):
            var names: Set<String> = []
            var told: Set<String> = []
            for member in object.members {
                path.append(.name(member.name))
                if !names.insert(member.name).inserted, told.insert(member.name).inserted {
                    let place = problems.isFull ? "" : JSONPointer(path).text
                    problems.add(.duplicateKey, at: .wholeFile(place), "'\(member.name.shown)' stands twice")
                }
                if member.value.isContainer { self.reportRepeated(member.value, at: &path, &problems) }
                path.removeLast()
            }
        default: return
        }
    }
}

/// The place of a value in JSON (RFC 6901), cut where it would be too long for an answer.
private struct JSONPointer {
    enum Step {
        case index(Int)
        case name(String)
    }

    /// The number of bytes of a pointer that are kept; names are as long as their sender likes.
    private static let limit = 512

    private(set) var text = ""

    init() {}

    init(_ path: [Step]) {
        for step in path { self = self.below(step) }
    }

    func below(_ step: Step) -> JSONPointer {
        guard self.text.utf8.count < Self.limit else { return self }
        var pointer = self
        switch step {
        case .index(let index): pointer.text += "/\(index)"
        case .name(let name): pointer.text += "/" + ConfigNode.escaped(Self.cut(name))
        }
        pointer.text = Self.cut(pointer.text)
        return pointer
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > self.limit else { return text }
        return String(decoding: text.utf8.prefix(self.limit), as: UTF8.self) + "…"
    }
}

extension JSONValue {
    fileprivate var isContainer: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }
}

extension ConfigSchema {
    /// The schemas that one of several leaves open.
    private var alternatives: [ConfigSchema] {
        if case .oneOf(let alternatives) = self.kind { alternatives.flatMap(\.alternatives) } else { [self] }
    }

    fileprivate static func alternatives(_ schemas: [ConfigSchema]) -> [ConfigSchema] {
        schemas.flatMap(\.alternatives)
    }

    fileprivate var takesAnything: Bool { if case .json = self.kind { true } else { false } }

    /// The schema of a list's elements; nil for what is no list.
    fileprivate var element: ConfigSchema? {
        switch self.kind {
        case .list(let element, _): element
        case .json: self
        default: nil
        }
    }

    /// The schema of a key's value; nil where there is no such key.
    fileprivate func value(of key: String) -> ConfigSchema? {
        switch self.kind {
        case .object(let fields): fields.first { $0.name == key }?.schema
        case .map(_, let value): value
        case .openObject(let fields, _, let value): fields.first { $0.name == key }?.schema ?? value
        case .json: self
        default: nil
        }
    }
}

extension ConfigNode {
    /// JSON as a tree in which a place is a JSON pointer, as far as schemas look into it: a value that may be anything is one node, and of a
    /// value that cannot be right only the shape is kept. Of a name that stands twice the last value counts.
    /// - Parameter nodesLeft: lowered by the nodes; below zero the tree is not whole.
    fileprivate init(json: JSONValue, as schemas: [ConfigSchema], at pointer: JSONPointer, nodesLeft: inout Int) {
        let schemas = ConfigSchema.alternatives(schemas)
        let location = ConfigLocation.wholeFile(pointer.text)
        nodesLeft -= 1
        switch json {
        case _ where !schemas.isEmpty && schemas.allSatisfy(\.takesAnything):
            self.init(scalar: ConfigScalar(text: "", style: .doubleQuoted, isPlain: false), of: json, at: location)
        case .object(let object):
            let takesMappings = schemas.contains { $0.shapes.contains(.mapping) }
            var places: [String: Int] = [:]
            var entries: [ConfigEntry] = []
            for member in object.members where takesMappings && nodesLeft >= 0 {
                let own = pointer.below(.name(member.name))
                let value = ConfigNode(
                    json: member.value, as: schemas.compactMap { $0.value(of: member.name) }, at: own,
                    nodesLeft: &nodesLeft)
                let entry = ConfigEntry(key: member.name, keyLocation: .wholeFile(own.text), value: value)
                if let place = places[member.name] {
                    entries[place] = entry
                } else {
                    places[member.name] = entries.count
                    entries.append(entry)
                }
            }
            self.init(.mapping(entries), at: location)
        case .array(let elements):
            let element = schemas.compactMap(\.element)
            var nodes: [ConfigNode] = []
            for (index, value) in elements.enumerated() where !element.isEmpty && nodesLeft >= 0 {
                nodes.append(
                    ConfigNode(json: value, as: element, at: pointer.below(.index(index)), nodesLeft: &nodesLeft))
            }
            self.init(.sequence(nodes), at: location)
        case .string(let text):
            self.init(scalar: ConfigScalar(text: text, style: .doubleQuoted, isPlain: false), of: json, at: location)
        case .number(let number):
            // A whole number may be spelled 1.0 or 1e0.
            let text = number.intValue.map { String($0) } ?? json.text
            self.init(scalar: ConfigScalar(text: text, style: .plain, isPlain: true), of: json, at: location)
        case .bool, .null:
            self.init(scalar: ConfigScalar(text: json.text, style: .plain, isPlain: true), of: json, at: location)
        }
    }

    private init(scalar: ConfigScalar, of json: JSONValue, at location: ConfigLocation) {
        var scalar = scalar
        scalar.original = json
        self.init(.scalar(scalar), at: location)
    }

    fileprivate static func escaped(_ name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}

extension ConfigSchema {
    /// True if a scalar that was JSON is of the type that is wanted: texts have quotes, and nothing else has.
    func fits(_ scalar: ConfigScalar) -> Bool {
        let isBoolean = scalar.isPlain && ["true", "false"].contains(scalar.text)
        return switch self.kind {
        case .boolean: isBoolean
        case .integer, .number, .formatVersion: scalar.isPlain && !isBoolean
        default: !scalar.isPlain
        }
    }
}
