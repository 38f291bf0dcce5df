/// Writes the reference of a schema in Markdown: a table and an example for every mapping.
struct ReferenceGenerator {
    private var text = ""
    private let showsReload: Bool

    private init(showsReload: Bool) {
        self.showsReload = showsReload
    }

    static func text(_ schema: ConfigSchema, title: String) -> String {
        var generator = ReferenceGenerator(showsReload: true)
        generator.text = "# \(title)\n\n" + Self.introduction
        generator.section(schema.resolvingReload(), path: "")
        generator.text += "\n## Problems\n\n" + ConfigProblem.Code.referenceTable
        return generator.text
    }

    /// The tables of a file that is not reloaded by its keys, with what is said before them.
    static func text(_ schema: ConfigSchema, title: String, introduction: String) -> String {
        var generator = ReferenceGenerator(showsReload: false)
        generator.text = "# \(title)\n\n\(introduction)\n"
        generator.section(schema, path: "")
        return generator.text
    }

    private static let introduction = """
        Keys that are not listed are refused, except those that start with `x-`, which are ignored everywhere.
        Durations are whole numbers with `ms`, `s`, `m`, `h` or `d`; sizes with `B`, `KiB`, `MiB` or `GiB`. Truth values are
        `true` and `false`. Texts need no quotes. A value may refer to environment variables: `${NAME}`,
        `${NAME:-default}` when it may be missing or empty, `${NAME:?text}` to explain what is missing; `$${` is a plain
        `${`. Every secret `KEY` may be given as `KEY_file`, the path of a file that not every user can read; one in
        `${CREDENTIALS_DIRECTORY}` is protected by its folder. Relative paths, those that a variable gives too, start at the
        folder of the file they stand in, and those of defaults at the folder of the first file.

        The last column says what a change does when the gateway is reloaded: `hot` is in force at once; `listener` opens
        the new address before the old one is given up; `device` makes, moves or ends a connection to a real device;
        `plugin` starts, ends or replaces a plugin, or tells it, and keeps every connection and session;
        `new-connections` holds for connections made from then on; `restart` is refused until the gateway is started anew.

        """

    private mutating func section(_ schema: ConfigSchema, path: String) {
        // Its keys are described where they belong.
        if case .defaults = schema.shorthand { return }
        switch schema.kind {
        case .object(let fields):
            self.object(fields, path: path)
            for field in fields {
                self.section(field.schema, path: path.isEmpty ? field.name : "\(path).\(field.name)")
            }
        case .list(let element, _):
            self.section(element, path: "\(path)[]")
        case .map(let key, let value):
            self.section(value, path: "\(path).\(key.placeholder)")
        case .openObject(let fields, let key, let value):
            self.section(.object(fields), path: path)
            self.section(value, path: "\(path).\(key.placeholder)")
        case .oneOf(let alternatives):
            for alternative in Self.withOneMapping(alternatives) { self.section(alternative, path: path) }
        default:
            break
        }
    }

    /// Several mappings of which a file writes one as one mapping, so that there is one table.
    private static func withOneMapping(_ alternatives: [ConfigSchema]) -> [ConfigSchema] {
        let objects = alternatives.compactMap { alternative in
            if case .object(let fields) = alternative.kind { fields } else { nil }
        }
        guard objects.count > 1 else { return alternatives }
        let others = alternatives.filter { if case .object = $0.kind { false } else { true } }
        let fields = objects.flatMap { fields in
            fields.map {
                ConfigField($0.name, $0.schema, .optional, $0.meaning, example: $0.example, reload: $0.reload)
            }
        }
        return others + [.object(fields)]
    }

    private mutating func object(_ fields: [ConfigField], path: String) {
        self.text += "\n## \(path.isEmpty ? "Top level" : "`\(path)`")\n\n"
        let names = ["key", "type", "default", "meaning"] + (self.showsReload ? ["reload"] : [])
        self.text += "| \(names.joined(separator: " | ")) |\n|\(names.map { _ in "---|" }.joined())\n"
        for field in fields {
            var cells = [
                self.keyCell(field),
                Self.typeCell(field, path: path),
                Self.defaultCell(field),
                Self.meaningCell(field),
            ]
            if self.showsReload { cells.append(field.reload.map { "`\($0.rawValue)`" } ?? "–") }
            self.text += "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
        }
        let lines = fields.compactMap { Self.exampleLine($0) }
        if !lines.isEmpty {
            self.text += "\n```yaml\n" + lines.joined(separator: "\n") + "\n```\n"
        }
    }

    private func keyCell(_ field: ConfigField) -> String {
        field.keys.map { "`\($0)`" }.joined(separator: " or ")
    }

    private static func typeCell(_ field: ConfigField, path: String) -> String {
        if case .defaults(let path) = field.schema.shorthand {
            return "[mapping](#\(Self.anchor(path)))"
        }
        let own = path.isEmpty ? field.name : "\(path).\(field.name)"
        guard let target = field.schema.objectPath(own) else { return field.schema.typeName }
        return "[\(field.schema.typeName)](#\(Self.anchor(target)))"
    }

    /// The anchor that GitHub gives the heading of a mapping.
    private static func anchor(_ path: String) -> String {
        path.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }

    private static func defaultCell(_ field: ConfigField) -> String {
        switch field.presence {
        case .required: "required"
        case .optional: "–"
        case .defaultsTo(let text): "`\(text)`"
        case .sameAs(let name): "as `\(name)`"
        }
    }

    private static func meaningCell(_ field: ConfigField) -> String {
        "\(field.meaning)."
    }

    private static func exampleLine(_ field: ConfigField) -> String? {
        let key = field.fileKey ?? field.name
        if let example = field.example { return "\(key): \(example)" }
        if case .defaultsTo(let text) = field.presence, text != "{}", text != "[]" { return "\(key): \(text)" }
        return nil
    }
}

extension ConfigProblem.Code {
    /// All codes with their explanations as a Markdown table.
    package static var referenceTable: String {
        var text = "| code | meaning |\n|---|---|\n"
        for code in self.allCases {
            text += "| \(code.rawValue) | \(code.explanation.replacing("|", with: "\\|")) |\n"
        }
        return text
    }
}

extension ConfigField {
    /// The kind of value in a word or two, as references show it.
    package var typeText: String { self.schema.typeName }
}

extension ConfigSchema {
    /// The schema's reference in Markdown, the same for the same schema.
    package func referenceMarkdown(title: String) -> String {
        ReferenceGenerator.text(self, title: title)
    }

    /// The same for a file that is not reloaded by its keys: without what a reload does, and without the codes of problems.
    /// - Parameter introduction: what stands before the tables, in Markdown.
    package func referenceMarkdown(title: String, introduction: String) -> String {
        ReferenceGenerator.text(self, title: title, introduction: introduction)
    }

    /// The path under which the reference describes the mapping in this schema; nil when there is none.
    fileprivate func objectPath(_ path: String) -> String? {
        switch self.kind {
        case .object, .openObject: path
        case .list(let element, _): element.objectPath("\(path)[]")
        case .map(let key, let value): value.objectPath("\(path).\(key.placeholder)")
        case .oneOf(let alternatives): alternatives.lazy.compactMap { $0.objectPath(path) }.first
        default: nil
        }
    }
}
