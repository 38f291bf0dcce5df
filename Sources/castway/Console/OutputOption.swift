import ArgumentParser

/// The forms of output that a command has; each has text for people and JSON for programs.
protocol OutputForm: ExpressibleByArgument, CaseIterable, Equatable, RawRepresentable, Sendable
where RawValue == String {
    static var text: Self { get }
    static var json: Self { get }
}

/// Text for people, JSON for programs.
enum TextOrJSON: String, OutputForm {
    case text
    case json
}

/// `--format` and `--json`, the same on every command with output for programs.
struct OutputOption<Form: OutputForm>: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "How the output looks: \(Form.allCases.map(\.rawValue).joined(separator: ", ")); default: text.",
            valueName: "format"))
    var given: Form?

    @Flag(name: .customLong("json"), help: "The same as --format json.")
    var givenJSON = false

    func validate() throws {
        if self.givenJSON, let given, given != .json {
            throw ValidationError("--json and --format \(given.rawValue) exclude each other.")
        }
    }

    /// The form to print in.
    var form: Form { self.givenJSON ? .json : self.given ?? .text }

    /// Whether programs read the output.
    var isJSON: Bool { self.form == .json }
}
