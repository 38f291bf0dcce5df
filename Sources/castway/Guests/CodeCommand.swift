import ArgumentParser
import CastWire
import GatewayOperations
import Glibc

/// `castway code`
struct CodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract:
            "Makes, lists and revokes join codes, by which guests use devices of the running gateway for a while.",
        discussion: """
            A guest redeems a code on the page of 'api.join', by its digits or its QR code, and may then cast to the devices of the code until \
            check-out: those whose 'senders.join' is 'required' take no other senders. 'castway guest' lists guests and checks them out.

            Examples:
              castway code create room-12
              castway code create room-12 --uses 4 --days 3 --name 'Müller, A.'
              castway code create room-12 --from '2027-01-04 14:00' --days 3
              castway code list
              castway code revoke j-4kq7h2mzp9
            """,
        subcommands: [CodeCreateCommand.self, CodeListCommand.self, CodeRevokeCommand.self])
}

/// `castway code create`
struct CodeCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Makes a join code, and shows its digits, its link and its QR code once.",
        discussion: """
            The QR code is shown on a terminal only. With --json all of it is one object, without the QR code, and its times are in UTC.

            --from makes a code before its guest arrives: it cannot be redeemed earlier, and stays when the guests of before are checked out.

            Examples:
              castway code create room-12
              castway code create room-12 --from 2027-01-04 --minutes 2880 --days 3
              castway code create 'hall*' --token-scope read,control --no-connect
            """)

    @Argument(help: "The devices that its guests may use, with * for any number of characters.")
    var devices: [String]

    @Option(help: "What its guests are called in logs and lists; default: guest.")
    var name: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("How many guests may redeem it; default: 1.", valueName: "count"))
    var uses: Int?

    @Option(
        help: ArgumentHelp(
            "From when it can be redeemed: a day, or a day and a time, of this machine's time zone; default: now.",
            valueName: "time"))
    var from: LocalMoment?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "For how many minutes it can be redeemed, up to 10080, a week; default: 15, or 1440 with --from.",
            valueName: "minutes"))
    var minutes: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "For how many days a guest may stay who has redeemed it, unless checked out before; default: 1.",
            valueName: "days"))
    var days: Int?

    @Option(
        name: .customLong("token-scope"),
        help: ArgumentHelp(
            "Gives a guest a token for the API too, that may do this: read, control, messages; several with commas between.",
            valueName: "scope"))
    var scopeLists: [String] = []

    @Flag(inversion: .prefixedNo, help: "Whether a guest's address may connect as a sender.")
    var connect = true

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func validate() throws {
        guard (1...10_080).contains(self.minutes ?? 1) else { throw ValidationError("--minutes must be 1 to 10080.") }
        guard (1...365).contains(self.days ?? 1) else { throw ValidationError("--days must be 1 to 365.") }
    }

    func run() async throws {
        var input: JSONObject = ["devices": .array(self.devices.map { .string($0) })]
        if let name { input["name"] = .string(name) }
        if let uses { input["uses"] = .number(uses) }
        if let from { input["from"] = .string("\(from.time)") }
        if let minutes { input["lifetime"] = .number(minutes * 60) }
        if let days { input["stay"] = .number(days * 86_400) }
        if !self.connect { input["connect"] = false }
        let scopes = self.scopeLists.flatMap { $0.split(separator: ",").map(String.init) }
        if !scopes.isEmpty { input["scopes"] = .array(Set(scopes).sorted().map { .string($0) }) }
        let answer = try await OperationRequest(self.control).call("join_code.create", input)
        if self.output.isJSON { return StandardOutput.write(answer) }
        StandardOutput.write(lines: self.lines(answer))
        if answer.string("link") == nil {
            StandardError.write(
                Terminal.error.message(
                    "guests have no page, since api.join.listen is not set; 'join_code.redeem' takes the code", .note))
        }
    }

    private func lines(_ answer: JSONObject) -> [String] {
        let code = CodeText(answer)
        var lines = ["Code:   \(answer.string("code") ?? "")".printable]
        if let link = answer.string("link") {
            lines.append("Link:   \(link)".printable)
            if isatty(STDOUT_FILENO) == 1, let picture = QRCode(link) {
                lines += [""] + picture.lines(isColoured: Terminal.output.isColoured) + [""]
            }
        }
        lines.append("For:    \(code.gives), for \(code.uses)".printable)
        lines.append("Redeem: \(code.window)".printable)
        lines.append("Stay:   \(code.stay) from then, or until check-out".printable)
        lines.append("Revoke: castway code revoke \(answer.string("id") ?? "")".printable)
        return lines
    }
}

/// `castway code list`
struct CodeListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the join codes whose time is not over.",
        discussion: """
            Example:
              castway code list
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let answer = try await OperationRequest(self.control).call("join_codes.list")
        if self.output.isJSON { return StandardOutput.write(answer) }
        let codes = answer.array("codes")?.compactMap(\.objectValue) ?? []
        let heading = ["ID", "NAME", "STATE", "GIVES", "USED", "REDEEM", "STAY", "MADE BY"]
        let rows = codes.map { code in
            let text = CodeText(code)
            return [
                code.string("id") ?? "", code.string("name") ?? "", code.string("state") ?? "", text.gives,
                "\(code.int("used") ?? 0) of \(code.int("uses") ?? 0)", text.window, text.stay, code.string("by") ?? "",
            ].map(\.printable)
        }
        StandardOutput.write(lines: codes.isEmpty ? ["No join codes."] : TextTable(rows: [heading] + rows).lines)
    }
}

/// `castway code revoke`
struct CodeRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revokes a join code; guests who have redeemed it stay.",
        discussion: """
            Example:
              castway code revoke j-4kq7h2mzp9
            """)

    @Argument(help: "The code's id as 'castway code list' shows it.")
    var code: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let answer = try await OperationRequest(self.control).call("join_code.revoke", ["id": .string(self.code)])
        if self.output.isJSON { return StandardOutput.write(answer) }
        StandardOutput.write(
            lines: ["\(answer.string("name") ?? "") (\(answer.string("id") ?? "")) is revoked".printable])
    }
}

/// What is said of a code to people.
private struct CodeText {
    let code: JSONObject

    init(_ code: JSONObject) { self.code = code }

    private let time = LocalTime(now: Glibc.time(nil))

    private func list(_ key: String) -> String {
        (self.code.array(key) ?? []).compactMap(\.stringValue).joined(separator: ", ")
    }

    /// What it gives.
    var gives: String {
        let scopes = self.list("scopes")
        let parts = [
            self.code.bool("connect") == true ? "casting" : nil, scopes.isEmpty ? nil : "a token (\(scopes))",
        ]
        return "\(parts.compactMap(\.self).joined(separator: " and ")) on \(self.list("devices"))"
    }

    var uses: String {
        let uses = self.code.int("uses") ?? 1
        return uses == 1 ? "one guest" : "\(uses) guests"
    }

    /// When it can be redeemed, by the clock of this machine.
    var window: String {
        let end = "until \(self.time.text(utc: self.code.string("expires")))"
        guard let start = self.code.string("starts"), let time = UTCTime(text: start), time.seconds > self.time.now
        else {
            return end
        }
        return "from \(self.time.text(utc: start)) \(end)"
    }

    /// For how long a guest may stay.
    var stay: String { Duration.seconds(self.code.int("stay") ?? 0).shownInSeconds }
}
