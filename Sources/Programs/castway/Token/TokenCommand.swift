import ArgumentParser
import CallerAccess
import CastWire
import GatewayOperations

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "token", "Makes, lists and revokes the tokens by which programs use the API of the running gateway.",
        """
        A token is shown once, when it is made; the gateway keeps its hash. What it may do is said by scopes: 'read' what \
        there is, 'control' devices, send and read 'messages' of apps, set 'credentials', change the gateway ('admin').
        """,
        examples: [
            "castway token create wall-panel --scope read,control --device 'hall*'", "castway token list",
            "castway token revoke wall-panel",
        ],
        subcommands: [TokenCreate.asCommand, TokenList.asCommand, TokenRevoke.asCommand])
}

struct TokenCreate: OperationCall {
    static let configuration = CommandConfiguration(
        "create", "Makes a token for the API of the running gateway, and prints it once.",
        """
        The token alone goes to standard output, so that it can be kept in a file or a variable; what else there is to know goes to \
        standard error. With --json all of it is one object.
        """,
        examples: [
            "castway token create ci --scope read,control > ci.token",
            "castway token create guest --device hall --days 1",
        ])
    static let operation: OperationName = "token.create"

    @Argument(help: "What its holder is called in logs and lists.") var name: String

    @Option(
        name: .customLong("scope"),
        help: .init(
            "What its holder may do: \(Self.allScopes); several with commas between, or given several times; default: read.",
            valueName: "scope"))
    var scopeLists: [String] = []

    @Option(
        name: .customLong("device"),
        help: .init(
            "A device that its holder may see and use, with * for any number of characters; may be given several times; default: all.",
            valueName: "name"))
    var devices: [String] = []

    @Option(
        parsing: .unconditional, help: .init("For how many days it is taken; default: for ever.", valueName: "days"))
    var days: Int?

    private static var allScopes: String { OperationScope.allCases.map(\.rawValue).joined(separator: ", ") }

    private var scopes: [String] {
        self.scopeLists.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }

    func validate() throws {
        if let wrong = self.scopes.first(where: { OperationScope(rawValue: $0) == nil }) {
            throw ValidationError("'\(wrong)' is no scope; there are \(Self.allScopes).")
        }
        guard (1...3650).contains(self.days ?? 1) else { throw ValidationError("--days must be 1 to 3650.") }
    }

    var input: CallInput {
        [
            "name": self.name, "scopes": Set(self.scopes).sorted().ifGiven, "devices": self.devices.ifGiven,
            "lifetime": self.days.map { $0 * 86_400 },
        ]
    }

    func lines(_ answer: JSONObject) -> [String] { [answer[at: NewTokenResult.fields.text] ?? ""] }

    func notes(_ answer: JSONObject) -> [String] {
        let token = TokenText(answer)
        var line = "\(token.label) may \(answer.text(TokenResult.fields.scopes))"
        if answer[at: TokenResult.fields.devices] != nil { line += " on \(token.devices)" }
        if answer[at: TokenResult.fields.expires] != nil { line += " until \(token.end)" }
        return ["\(line); the token is shown this once".printable]
    }

    func run(_ request: OperationRequest, isJSON: Bool) async throws {
        let wasOpen = try await request.call("tokens.list")[at: TokenListResult.fields.isOpenToLoopback]
        self.show(try await request.call(Self.operation, self.input.json), isJSON: isJSON)
        guard wasOpen == true, !isJSON else { return }
        StandardError.say("from now on every caller of the API needs a token, those of this machine too", .note)
    }
}

struct TokenList: OperationCall {
    static let configuration = CommandConfiguration(
        "list", "Lists the tokens for the API of the running gateway.",
        examples: ["castway token list", "castway token list --json | jq -r '.tokens[] | select(.expired) | .id'"])
    static let operation: OperationName = "tokens.list"

    func lines(_ answer: JSONObject) -> [String] {
        let fields = TokenResult.fields
        let table = TextTable.lines(
            answer[at: TokenListResult.fields.tokens], else: "No tokens.",
            AnswerColumn("ID", fields.id), AnswerColumn("NAME", fields.name), AnswerColumn("MAY", fields.scopes),
            AnswerColumn("DEVICES") { TokenText($0).devices }, AnswerColumn("ENDS") { TokenText($0).end },
            AnswerColumn("LAST USED", fields.used, else: "-"))
        return table + TokenText.openness(answer)
    }
}

struct TokenRevoke: OperationCall {
    static let configuration = CommandConfiguration(
        "revoke", "Revokes a token for the API of the running gateway, and ends the connections of its holder.",
        examples: ["castway token revoke wall-panel"])
    static let operation: OperationName = "token.revoke"

    @Argument(help: "The token's id as 'castway token list' shows it, or its name when no other has it.")
    var token: String

    var input: CallInput { ["id": self.token] }

    func lines(_ answer: JSONObject) -> [String] {
        let isKept = answer[at: RevokedTokenResult.fields.isKept] != false
        let warning = "The state cannot be written, so it is taken again after a restart of the gateway."
        return ["\(TokenText(answer).label) is revoked".printable] + (isKept ? [] : [warning])
            + TokenText.openness(answer)
    }
}

private struct TokenText {
    let token: JSONObject

    init(_ token: JSONObject) { self.token = token }

    var label: String { "\(self.token.text(TokenResult.fields.name)) (\(self.token.text(TokenResult.fields.id)))" }

    var devices: String { self.token.text(TokenResult.fields.devices, else: "all") }

    var end: String {
        let isOver = self.token[at: TokenResult.fields.isExpired] == true
        return self.token[at: TokenResult.fields.expires].map { isOver ? "\($0), over" : $0 } ?? "-"
    }

    /// The line for a gateway without tokens.
    static func openness(_ answer: JSONObject) -> [String] {
        answer[at: TokenListResult.fields.isOpenToLoopback] == true
            ? ["There is no token, so programs of the gateway's machine may read and control without one."] : []
    }
}
