/// One event of the YAML parser, copied out of its memory.
struct YAMLEvent {
    /// What happened.
    enum Kind {
        /// A document begins.
        case documentStart
        /// The last document has ended.
        case streamEnd
        /// `*name`.
        case alias(String)
        /// A single value.
        case scalar(ConfigScalar)
        /// A list begins.
        case sequenceStart
        /// A mapping begins.
        case mappingStart
        /// A list or a mapping ends.
        case collectionEnd
        /// An event that carries nothing of interest.
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
