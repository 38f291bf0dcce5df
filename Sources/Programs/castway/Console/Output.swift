import ArgumentParser
import CastWire
import GatewayApp
import GatewayLogging
import Glibc

/// Writes to standard output at once, also into a pipe.
///
/// What cannot be written ends the program: a reader of less than all must not take it for all, and a watch whose reader
/// has gone would go on for ever.
enum StandardOutput {
    static func write(_ text: String) {
        ProgressLine.clear()
        guard !FileDescriptor.write(text, to: STDOUT_FILENO) else { return }
        let code = errno
        // A reader that has had enough, such as head, is no reason to complain.
        if code != EPIPE {
            StandardError.write("castway: standard output cannot be written: \(SystemError.text(code))\n")
        }
        Glibc.exit(ExitStatus.outputUnusable.rawValue)
    }

    static func write(lines: [String]) {
        Self.write(lines.map { $0 + "\n" }.joined())
    }
}

enum StandardError {
    /// Writes a text as it is, behind what was logged. Gives up on a reader that hangs.
    static func write(_ text: String) {
        ProgressLine.clear()
        StandardErrorOutput.write(text)
        StandardErrorOutput.flush()
    }

    /// Writes words of the command itself, which are printable already, behind the program's name.
    static func say(_ words: String, _ style: Paint.Style) { self.write(Terminal.error.message(words, style)) }
}

extension String {
    /// The text as a terminal may show it: what devices and files say moves no cursor and ends no line.
    var printable: String {
        var text = ""
        for scalar in self.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The text with blanks behind it up to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - self.count))
    }
}

struct TextTable {
    /// The rows, the heading first; all of one length.
    var rows: [[String]]

    /// The lines, indented.
    var lines: [String] { self.lines { _, cell in cell } }

    /// The lines, indented, with some cells in colours.
    /// - Parameter paint: a cell of a column behind the heading, in its colour; counted from 0.
    func lines(painting paint: (_ column: Int, _ cell: String) -> String) -> [String] {
        guard let heading = self.rows.first else { return [] }
        let widths = heading.indices.map { column in self.rows.map { $0[column].count }.max() ?? 0 }
        return self.rows.enumerated().map { index, row in
            let last = row.lastIndex { !$0.isEmpty } ?? 0
            let cells = row.prefix(last + 1).enumerated().map { column, cell in
                let padding = column == last ? "" : String(repeating: " ", count: widths[column] - cell.count)
                return (index == 0 ? cell : paint(column, cell)) + padding
            }
            return cells.isEmpty || row[last].isEmpty ? "" : "  " + cells.joined(separator: "  ")
        }
    }
}

/// The forms of output that a command has; each has text for people and JSON for programs.
protocol OutputForm: ExpressibleByArgument, CaseIterable, Equatable, RawRepresentable, Sendable
where RawValue == String {
    static var text: Self { get }
    static var json: Self { get }
}

enum TextOrJSON: String, OutputForm { case text, json }

/// `--format` and `--json`, the same on every command with output for programs.
struct FormOption<Form: OutputForm>: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: .init(
            "How the output looks: \(Form.allCases.map(\.rawValue).joined(separator: ", ")); default: text.",
            valueName: "format"))
    var given: Form?

    @Flag(name: .customLong("json"), help: "The same as --format json.") var givenJSON = false

    func validate() throws {
        if self.givenJSON, let given, given != .json {
            throw ValidationError("--json and --format \(given.rawValue) exclude each other.")
        }
    }

    var form: Form { self.givenJSON ? .json : self.given ?? .text }

    var isJSON: Bool { self.form == .json }

    /// Prints objects for programs, one a line, or lines for people.
    func write(_ objects: @autoclosure () -> [JSONObject], else lines: @autoclosure () -> [String]) {
        StandardOutput.write(lines: self.isJSON ? objects().map { JSONValue.object($0).text } : lines())
    }
}

/// What a command with output for programs takes: its form, and whether text has colours.
struct OutputOption<Form: OutputForm>: ParsableArguments {
    @OptionGroup var chosen: FormOption<Form>
    @OptionGroup var colour: ColourOption

    var form: Form { self.chosen.form }

    var isJSON: Bool { self.chosen.isJSON }

    /// Prints an object for programs in one line, or lines for people.
    func write(_ json: @autoclosure () -> JSONObject, else lines: @autoclosure () -> [String]) {
        self.chosen.write([json()], else: lines())
    }

    /// Prints objects for programs, one a line, or lines for people.
    func write(_ objects: @autoclosure () -> [JSONObject], else lines: @autoclosure () -> [String]) {
        self.chosen.write(objects(), else: lines())
    }
}
