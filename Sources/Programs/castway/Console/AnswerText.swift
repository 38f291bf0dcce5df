import CastWire
import GatewayOperations

extension JSONObject {
    /// The text of a member of an answer: a text as it is, a list with commas between, a number in figures.
    /// - Parameter other: the text for a missing member.
    func text<Source, Value>(_ field: ResultField<Source, Value>, else other: String = "") -> String {
        switch self[field.member.name] {
        case nil, .null?: other
        case .array(let elements)?: elements.map { $0.stringValue ?? $0.text }.joined(separator: ", ")
        case let value?: value.stringValue ?? value.text
        }
    }

    /// The texts of a list; none when it is missing.
    func texts(_ name: String) -> [String] { self.array(name)?.compactMap(\.stringValue) ?? [] }
}

/// A column of a table of objects: its heading, and the cell of each object.
struct AnswerColumn {
    let heading: String
    let cell: (JSONObject) -> String

    /// Shows a text that is made of several members.
    init(_ heading: String, _ cell: @escaping (JSONObject) -> String) {
        self.heading = heading
        self.cell = cell
    }

    /// Shows a member.
    /// - Parameter other: the text for a missing member.
    init<Source, Value>(_ heading: String, _ field: ResultField<Source, Value>, else other: String = "") {
        self.init(heading) { $0.text(field, else: other) }
    }

    /// Shows a count, 0 when it is missing.
    init<Source>(_ heading: String, count field: ResultField<Source, Int>) {
        self.init(heading) { "\($0[at: field] ?? 0)" }
    }
}

extension TextTable {
    /// The objects of an answer, a row each below the headings.
    init(_ objects: [JSONObject], _ columns: [AnswerColumn]) {
        self.init(rows: [columns.map(\.heading)] + objects.map { object in columns.map { $0.cell(object).printable } })
    }

    /// The lines of a table of objects.
    /// - Parameter empty: the line for no objects.
    static func lines(_ objects: [JSONObject]?, else empty: String, _ columns: AnswerColumn...) -> [String] {
        guard let objects, !objects.isEmpty else { return [empty] }
        return TextTable(objects, columns).lines
    }
}
