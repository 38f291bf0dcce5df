internal import CYAML

/// Owns one libyaml parser and turns its events into Swift values.
///
/// libyaml keeps pointers to the parser itself and to its input, so both live on the heap as long as the reader.
struct YAMLReader: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    /// Prepares to read UTF-8 text; nil when libyaml has no memory.
    init?(_ bytes: [UInt8]) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            return nil
        }
        self.parser = parser
        self.input = UnsafeMutableBufferPointer.allocate(capacity: max(bytes.count, 1))
        _ = self.input.initialize(fromContentsOf: bytes)
        yaml_parser_set_input_string(parser, self.input.baseAddress, bytes.count)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    }

    deinit {
        yaml_parser_delete(self.parser)
        self.parser.deinitialize(count: 1)
        self.parser.deallocate()
        self.input.deallocate()
    }

    /// The next event.
    ///
    /// - Throws: What libyaml says when the text is not YAML; the reader must not be asked again.
    mutating func next() throws(YAMLSyntaxError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(self.parser, &event) == 1 else { throw self.error() }
        defer { yaml_event_delete(&event) }
        var result = YAMLEvent(kind: .other, start: Self.mark(event.start_mark), end: Self.mark(event.end_mark))
        switch event.type {
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT:
            result.kind = .streamEnd
        case YAML_DOCUMENT_START_EVENT:
            result.kind = .documentStart
        case YAML_ALIAS_EVENT:
            result.kind = .alias(Self.text(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let style = Self.style(scalar.style)
            result.kind = .scalar(
                ConfigScalar(text: String(decoding: text, as: UTF8.self), style: style, isPlain: style == .plain)
            )
            result.anchor = Self.text(scalar.anchor)
            result.hasTag = scalar.tag != nil
        case YAML_SEQUENCE_START_EVENT:
            result.kind = .sequenceStart
            result.anchor = Self.text(event.data.sequence_start.anchor)
            result.hasTag = event.data.sequence_start.tag != nil
        case YAML_MAPPING_START_EVENT:
            result.kind = .mappingStart
            result.anchor = Self.text(event.data.mapping_start.anchor)
            result.hasTag = event.data.mapping_start.tag != nil
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            result.kind = .collectionEnd
        default:
            break
        }
        return result
    }

    private func error() -> YAMLSyntaxError {
        let state = self.parser.pointee
        let hasMark = state.error == YAML_SCANNER_ERROR || state.error == YAML_PARSER_ERROR
        let problem = state.problem.map { String(cString: $0) } ?? "the text cannot be read"
        guard hasMark else {
            // The reader knows only an offset; the mark of the parser is at or before it.
            return YAMLSyntaxError(problem: problem, mark: Self.mark(state.mark))
        }
        let context = state.context.map { String(cString: $0) }
        return YAMLSyntaxError(
            problem: problem,
            mark: Self.mark(state.problem_mark),
            context: context,
            contextMark: context == nil ? nil : Self.mark(state.context_mark)
        )
    }

    private static func mark(_ mark: yaml_mark_t) -> YAMLEvent.Mark {
        YAMLEvent.Mark(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    private static func style(_ style: yaml_scalar_style_t) -> ConfigScalar.Style {
        switch style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
        case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
        case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
        default: .plain
        }
    }
}

/// One event of the YAML parser, copied out of its memory.
struct YAMLEvent {
    enum Kind {
        case documentStart
        case streamEnd
        /// `*name`.
        case alias(String)
        case scalar(ConfigScalar)
        case sequenceStart
        case mappingStart
        case collectionEnd
        case other
    }

    /// A place in the text, counted from 1.
    struct Mark {
        var line: Int
        var column: Int
    }

    var kind: Kind
    var start: Mark
    var end: Mark
    var anchor: String?
    var hasTag = false
}

/// The error of the YAML parser about a text that it cannot read.
struct YAMLSyntaxError: Error {
    var problem: String
    var mark: YAMLEvent.Mark?
    var context: String?
    var contextMark: YAMLEvent.Mark?
}
