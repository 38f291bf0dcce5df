import ArgumentParser
import CastWire
import GatewayOperations
import Glibc
import GuestAccess

struct CodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "code", "Makes, lists and revokes join codes, by which guests use devices of the running gateway for a while.",
        """
        A guest redeems a code on the page of 'api.join', by its digits or its QR code, and may then cast to the devices of the code until \
        check-out: those whose 'senders.join' is 'required' take no other senders. 'castway guest' lists guests and checks them out.
        """,
        examples: [
            "castway code create room-12", "castway code create room-12 --uses 4 --days 3 --name 'Müller, A.'",
            "castway code create room-12 --from '2027-01-04 14:00' --days 3", "castway code list",
            "castway code revoke j-4kq7h2mzp9",
        ],
        subcommands: [CodeCreate.asCommand, CodeList.asCommand, CodeRevoke.asCommand])
}

struct CodeCreate: OperationCall {
    static let configuration = CommandConfiguration(
        "create", "Makes a join code, and shows its digits, its link and its QR code once.",
        """
        The QR code is shown on a terminal only. With --json all of it is one object, without the QR code, and its times are in UTC.

        --from makes a code before its guest arrives: it cannot be redeemed earlier, and stays when the guests of before are checked out.
        """,
        examples: [
            "castway code create room-12", "castway code create room-12 --from 2027-01-04 --minutes 2880 --days 3",
            "castway code create 'hall*' --token-scope read,control --no-connect",
        ])
    static let operation: OperationName = "join_code.create"

    @Argument(help: "The devices that its guests may use, with * for any number of characters.") var devices: [String]
    @Option(help: "What its guests are called in logs and lists; default: guest.") var name: String?
    @Option(parsing: .unconditional, help: .init("How many guests may redeem it; default: 1.", valueName: "count"))
    var uses: Int?

    @Option(
        help: .init(
            "From when it can be redeemed: a day, or a day and a time, of this machine's time zone; default: now.",
            valueName: "time"))
    var from: LocalMoment?

    @Option(
        parsing: .unconditional,
        help: .init(
            "For how many minutes it can be redeemed, up to 10080, a week; default: 15, or 1440 with --from.",
            valueName: "minutes"))
    var minutes: Int?

    @Option(
        parsing: .unconditional,
        help: .init(
            "For how many days a guest may stay who has redeemed it, unless checked out before; default: 1.",
            valueName: "days"))
    var days: Int?

    @Option(
        name: .customLong("token-scope"),
        help: .init(
            "Gives a guest a token for the API too, that may do this: read, control, messages; several with commas between.",
            valueName: "scope"))
    var scopeLists: [String] = []

    @Flag(inversion: .prefixedNo, help: "Whether a guest's address may connect as a sender.") var connect = true

    func validate() throws {
        guard (1...10_080).contains(self.minutes ?? 1) else { throw ValidationError("--minutes must be 1 to 10080.") }
        guard (1...365).contains(self.days ?? 1) else { throw ValidationError("--days must be 1 to 365.") }
    }

    var input: CallInput {
        let scopes = self.scopeLists.flatMap { $0.split(separator: ",").map(String.init) }
        return [
            "devices": self.devices, "name": self.name, "uses": self.uses, "from": self.from.map { "\($0.time)" },
            "lifetime": self.minutes.map { $0 * 60 }, "stay": self.days.map { $0 * 86_400 },
            "connect": self.connect ? nil : false, "scopes": Set(scopes).sorted().ifGiven,
        ]
    }

    func lines(_ answer: JSONObject) -> [String] {
        let code = CodeText(answer)
        var lines = ["Code:   \(answer.text(NewJoinCodeResult.fields.digits))".printable]
        if let link = answer[at: NewJoinCodeResult.fields.link] {
            lines.append("Link:   \(link)".printable)
            if isatty(STDOUT_FILENO) == 1, let picture = QRCode(link) {
                lines += [""] + picture.lines(isColoured: Terminal.output.isColoured) + [""]
            }
        }
        return lines
            + [
                "For:    \(code.gives), for \(code.uses)", "Redeem: \(code.window)",
                "Stay:   \(code.stay) from then, or until check-out",
                "Revoke: castway code revoke \(answer.text(JoinCodeResult.fields.id))",
            ].map(\.printable)
    }

    func notes(_ answer: JSONObject) -> [String] {
        answer[at: NewJoinCodeResult.fields.link] == nil
            ? ["guests have no page, since api.join.listen is not set; 'join_code.redeem' takes the code"] : []
    }
}

struct CodeList: OperationCall {
    static let configuration = CommandConfiguration(
        "list", "Lists the join codes whose time is not over.", examples: ["castway code list"])
    static let operation: OperationName = "join_codes.list"

    func lines(_ answer: JSONObject) -> [String] {
        let fields = JoinCodeResult.fields
        return TextTable.lines(
            answer[at: JoinCodeListResult.fields.codes], else: "No join codes.",
            AnswerColumn("ID", fields.id), AnswerColumn("NAME", fields.name), AnswerColumn("STATE", fields.state),
            AnswerColumn("GIVES") { CodeText($0).gives },
            AnswerColumn("USED") { "\($0[at: fields.used] ?? 0) of \($0[at: fields.uses] ?? 0)" },
            AnswerColumn("REDEEM") { CodeText($0).window }, AnswerColumn("STAY") { CodeText($0).stay },
            AnswerColumn("MADE BY", fields.maker))
    }
}

struct CodeRevoke: OperationCall {
    static let configuration = CommandConfiguration(
        "revoke", "Revokes a join code; guests who have redeemed it stay.",
        examples: ["castway code revoke j-4kq7h2mzp9"])
    static let operation: OperationName = "join_code.revoke"

    @Argument(help: "The code's id as 'castway code list' shows it.") var code: String

    var input: CallInput { ["id": self.code] }

    func lines(_ answer: JSONObject) -> [String] {
        let fields = JoinCodeResult.fields
        return ["\(answer.text(fields.name)) (\(answer.text(fields.id))) is revoked".printable]
    }
}

private struct CodeText {
    let code: JSONObject
    private let time = LocalTime(now: Glibc.time(nil))
    private let fields = JoinCodeResult.fields

    init(_ code: JSONObject) { self.code = code }

    var gives: String {
        let scopes = self.code.text(self.fields.scopes)
        let parts = [
            self.code[at: self.fields.connects] == true ? "casting" : nil, scopes.isEmpty ? nil : "a token (\(scopes))",
        ]
        return "\(parts.compactMap(\.self).joined(separator: " and ")) on \(self.code.text(self.fields.devices))"
    }

    var uses: String {
        let uses = self.code[at: self.fields.uses] ?? 1
        return uses == 1 ? "one guest" : "\(uses) guests"
    }

    /// When it can be redeemed, by the clock of this machine.
    var window: String {
        let end = "until \(self.time.text(utc: self.code[at: self.fields.expires]))"
        guard let start = self.code[at: self.fields.starts], let time = UTCTime(text: start),
            time.seconds > self.time.now
        else { return end }
        return "from \(self.time.text(utc: start)) \(end)"
    }

    /// For how long a guest may stay.
    var stay: String { Duration.seconds(self.code[at: self.fields.stay] ?? 0).shownInSeconds }
}
