/// Columns of text, each as wide as its widest cell.
struct TextTable {
    /// The rows, the heading first; all of one length.
    var rows: [[String]]

    /// The lines, indented.
    var lines: [String] {
        guard let heading = self.rows.first else { return [] }
        let widths = heading.indices.map { column in self.rows.map { $0[column].count }.max() ?? 0 }
        return self.rows.map { row in
            let cells = zip(row, widths).map { $0.padded(to: $1) }
            let line = "  " + cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
