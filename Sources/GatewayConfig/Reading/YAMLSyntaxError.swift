/// What the YAML parser says about a text it cannot read.
struct YAMLSyntaxError: Error {
    var problem: String
    var mark: YAMLEvent.Mark?
    var context: String?
    var contextMark: YAMLEvent.Mark?
}
