import ArgumentParser
import CastWire
import GatewayOperations

/// `castway token`
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Makes, lists and revokes the tokens by which programs use the API of the running gateway.",
        discussion: """
            A token is shown once, when it is made; the gateway keeps its hash. What it may do is said by scopes: 'read' what \
            there is, 'control' devices, send and read 'messages' of apps, set 'credentials', change the gateway ('admin').

            Examples:
              castway token create wall-panel --scope read,control --device 'hall*'
              castway token list
              castway token revoke wall-panel
            """,
        subcommands: [TokenCreateCommand.self, TokenListCommand.self, TokenRevokeCommand.self])
}

/// `castway token create`
struct TokenCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Makes a token for the API of the running gateway, and prints it once.",
        discussion: """
            The token alone goes to standard output, so that it can be kept in a file or a variable; what else there is to know goes to \
            standard error. With --json all of it is one object.

            Examples:
              castway token create ci --scope read,control > ci.token
              castway token create guest --device hall --days 1
            """)

    @Argument(help: "What its holder is called in logs and lists.")
    var name: String

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp(
            "What its holder may do: \(OperationScope.allCases.map(\.rawValue).joined(separator: ", ")); several with commas between, or given several times; default: read.",
            valueName: "scope"))
    var scopeLists: [String] = []

    @Option(
        name: .customLong("device"),
        help: ArgumentHelp(
            "A device that its holder may see and use, with * for any number of characters; may be given several times; default: all.",
            valueName: "name"))
    var devices: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("For how many days it is taken; default: for ever.", valueName: "days"))
    var days: Int?

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    /// Each scope by itself.
    private var scopes: [String] {
        self.scopeLists.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }

    func validate() throws {
        if let wrong = self.scopes.first(where: { OperationScope(rawValue: $0) == nil }) {
            let scopes = OperationScope.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'\(wrong)' is no scope; there are \(scopes).")
        }
        guard (1...3650).contains(self.days ?? 1) else { throw ValidationError("--days must be 1 to 3650.") }
    }

    func run() async throws {
        var input: JSONObject = ["name": .string(self.name)]
        if !self.scopes.isEmpty { input["scopes"] = .array(Set(self.scopes).sorted().map { .string($0) }) }
        if !self.devices.isEmpty { input["devices"] = .array(self.devices.map { .string($0) }) }
        if let days { input["lifetime"] = .number(days * 86_400) }
        let request = try OperationRequest(self.control)
        let wasOpen = try await request.call("tokens.list").bool("open_to_loopback")
        let answer = try await request.call("token.create", input)
        if self.output.isJSON { return StandardOutput.write(answer) }
        StandardOutput.write((answer.string("token") ?? "") + "\n")
        let text = "\(TokenText(answer).line); the token is shown this once".printable
        StandardError.write(Terminal.error.message(text, .note))
        if wasOpen == true {
            StandardError.write(
                Terminal.error.message(
                    "from now on every caller of the API needs a token, those of this machine too", .note))
        }
    }
}

/// `castway token list`
struct TokenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the tokens for the API of the running gateway.",
        discussion: """
            Examples:
              castway token list
              castway token list --json | jq -r '.tokens[] | select(.expired) | .id'
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let answer = try await OperationRequest(self.control).call("tokens.list")
        if self.output.isJSON { return StandardOutput.write(answer) }
        let tokens = answer.array("tokens")?.compactMap(\.objectValue) ?? []
        let heading = ["ID", "NAME", "MAY", "DEVICES", "ENDS", "LAST USED"]
        let rows = tokens.map { token in
            let text = TokenText(token)
            return [
                token.string("id") ?? "", token.string("name") ?? "", text.scopes, text.devices, text.end,
                token.string("used") ?? "-",
            ].map(\.printable)
        }
        StandardOutput.write(lines: tokens.isEmpty ? ["No tokens."] : TextTable(rows: [heading] + rows).lines)
        if answer.bool("open_to_loopback") == true { StandardOutput.write(lines: [TokenText.openToLoopback]) }
    }
}

/// `castway token revoke`
struct TokenRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes a token for the API of the running gateway, and ends the connections of its holder.",
        discussion: """
            Example:
              castway token revoke wall-panel
            """)

    @Argument(help: "The token's id as 'castway token list' shows it, or its name when no other has it.")
    var token: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let answer = try await OperationRequest(self.control).call("token.revoke", ["id": .string(self.token)])
        if self.output.isJSON { return StandardOutput.write(answer) }
        var lines = ["\(answer.string("name") ?? "") (\(answer.string("id") ?? "")) is revoked".printable]
        if answer.bool("kept") == false {
            lines.append("The state cannot be written, so it is taken again after a restart of the gateway.")
        }
        if answer.bool("open_to_loopback") == true { lines.append(TokenText.openToLoopback) }
        StandardOutput.write(lines: lines)
    }
}

/// What is said of a token to people.
private struct TokenText {
    static let openToLoopback =
        "There is no token, so programs of the gateway's machine may read and control without one."

    let token: JSONObject

    init(_ token: JSONObject) { self.token = token }

    var scopes: String { (self.token.array("scopes") ?? []).compactMap(\.stringValue).joined(separator: ", ") }

    var devices: String {
        self.token.array("devices").map { $0.compactMap(\.stringValue).joined(separator: ", ") } ?? "all"
    }

    var end: String {
        guard let end = self.token.string("expires") else { return "-" }
        return self.token.bool("expired") == true ? "\(end), over" : end
    }

    /// All of it in one line.
    var line: String {
        var line = "\(self.token.string("name") ?? "") (\(self.token.string("id") ?? "")) may \(self.scopes)"
        if self.token.array("devices") != nil { line += " on \(self.devices)" }
        if self.token.string("expires") != nil { line += " until \(self.end)" }
        return line
    }
}
