public import CastWire

/// JSON that a program sent, checked against a schema as a configuration file is: typed values, every problem at once, each
/// with the JSON pointer (RFC 6901) of what it is about.
///
/// The rules are those of files with three exceptions that follow from JSON: a text is a text, so `"5"` is no number; its length
/// is that of JSON Schema, in code points; and nothing is expanded, included or read from disk.
public struct CheckedInput: Sendable {
    /// What is wrong with a part of the input.
    public struct Fault: Sendable, Hashable {
        /// What it is about: `/media/url`, or `` for the whole.
        public let pointer: String
        /// The kind of problem; stable over versions.
        public let code: ConfigProblem.Code
        /// What is wrong, without a full stop.
        public let message: String
        /// What to do about it.
        public let hint: String?

        /// A text that should have been JSON, where any JSON is taken.
        /// - Parameters:
        ///   - text: what was written.
        ///   - key: the key that it was written for.
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
    public let section: ConfigSection
    /// What is wrong; names that stand twice come first.
    public let faults: [Fault]

    /// Checks an object against the keys of a type.
    public init<Input: ConfigObject>(_ json: JSONObject, as type: Input.Type) {
        self.init(json, schema: Input.schema) { Input.checkAll($0, problems: &$1) }
    }

    /// Checks an object against a schema.
    /// - Parameter check: adds what is wrong between values that fit the schema, each by itself.
    public init(
        _ json: JSONObject, schema: ConfigSchema,
        check: (ConfigSection, inout ConfigProblems) -> Void = { _, _ in }
    ) {
        var validator = ConfigValidator(
            schema: schema, fileSystem: Self.noFiles, resolvesPaths: false, problems: ConfigProblems())
        validator.readsJSON = true
        let section = validator.root(ConfigNode(json: .object(json), at: ""))
        var problems = validator.problems
        if !problems.hasErrors { check(section, &problems) }
        self.section = section
        self.faults =
            Self.repeated(in: .object(json), at: "")
            + problems.all.filter { $0.severity == .error }.map {
                Fault(pointer: $0.location.file, code: $0.code, message: $0.message, hint: $0.hint)
            }
    }

    /// The names that stand twice in an object: programs differ in which of them counts (RFC 8259, 4).
    private static func repeated(in json: JSONValue, at pointer: String) -> [Fault] {
        switch json {
        case .array(let elements):
            return elements.enumerated().flatMap { self.repeated(in: $1, at: "\(pointer)/\($0)") }
        case .object(let object):
            var names: Set<String> = []
            return object.members.flatMap { member -> [Fault] in
                let own = "\(pointer)/\(ConfigNode.escaped(member.name))"
                let below = self.repeated(in: member.value, at: own)
                guard !names.insert(member.name).inserted else { return below }
                return [
                    Fault(pointer: own, code: .duplicateKey, message: "'\(member.name.shown)' stands twice", hint: nil)
                ]
                    + below
            }
        default: return []
        }
    }
}

extension ConfigNode {
    /// JSON as a tree in which a place is a JSON pointer.
    init(json: JSONValue, at pointer: String) {
        let location = ConfigLocation.wholeFile(pointer)
        switch json {
        case .object(let object):
            let entries = object.members.map { member in
                let own = "\(pointer)/\(Self.escaped(member.name))"
                return ConfigEntry(
                    key: member.name, keyLocation: .wholeFile(own), value: ConfigNode(json: member.value, at: own))
            }
            self.init(.mapping(entries), at: location)
        case .array(let elements):
            let nodes = elements.enumerated().map { ConfigNode(json: $1, at: "\(pointer)/\($0)") }
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
    /// Whether a scalar that was JSON is of the type that is wanted: texts have quotes, and nothing else has.
    func fits(_ scalar: ConfigScalar) -> Bool {
        let isBoolean = scalar.isPlain && ["true", "false"].contains(scalar.text)
        return switch self.kind {
        case .boolean: isBoolean
        case .integer, .number, .formatVersion: scalar.isPlain && !isBoolean
        default: !scalar.isPlain
        }
    }
}
