import ArgumentParser
import CastWire
import GatewayOperations
import Glibc
import GuestAccess

struct GuestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "guest", "Lists the guests who have redeemed a join code, and checks them out.",
        examples: [
            "castway guest list", "castway guest check-out g-4kq7h2mzp9", "castway guest check-out --device room-12",
        ],
        subcommands: [GuestList.asCommand, GuestCheckOut.asCommand])
}

struct GuestList: OperationCall {
    static let configuration = CommandConfiguration(
        "list", "Lists the guests who have redeemed a join code, and have not checked out.",
        examples: ["castway guest list"])
    static let operation: OperationName = "guests.list"

    func lines(_ answer: JSONObject) -> [String] {
        let (fields, time) = (GuestResult.fields, LocalTime(now: Glibc.time(nil)))
        return TextTable.lines(
            answer[at: GuestListResult.fields.guests], else: "No guests.",
            AnswerColumn("ID", fields.id), AnswerColumn("NAME", fields.name), AnswerColumn("DEVICES", fields.devices),
            AnswerColumn("ADDRESS", fields.address, else: "-"), AnswerColumn("TOKEN", fields.token, else: "-"),
            AnswerColumn("SINCE") { time.text(utc: $0[at: fields.joined]) },
            AnswerColumn("ENDS") { time.text(utc: $0[at: fields.expires]) })
    }
}

struct GuestCheckOut: OperationCall {
    static let configuration = CommandConfiguration(
        "check-out",
        "Checks out a guest, or all guests of a device: closes their connections, and stops what they play.",
        "With --device, codes for the device that can still be redeemed are revoked too.",
        examples: ["castway guest check-out g-4kq7h2mzp9", "castway guest check-out --device room-12"])
    static let operation: OperationName = "guest.check_out"

    @Argument(help: "The guest's id as 'castway guest list' shows it.") var guest: String?
    @Option(help: .init("All guests of this device.", valueName: "name")) var device: String?

    func validate() throws {
        guard (self.guest == nil) != (self.device == nil) else { throw ValidationError("Give a guest, or --device.") }
    }

    var input: CallInput { ["guest": self.guest, "device": self.device] }

    func lines(_ answer: JSONObject) -> [String] {
        let fields = CheckedOutGuestResult.fields
        let guests = (answer[at: CheckOutResult.fields.guests] ?? []).map { guest in
            let closed = guest[at: fields.closed] ?? 0
            let stopped = guest.text(fields.stopped)
            var line = "\(guest.text(GuestResult.fields.name)) (\(guest.text(GuestResult.fields.id))) is checked out"
            if closed > 0 { line += "; \(closed) connection\(closed == 1 ? "" : "s") closed" }
            if !stopped.isEmpty { line += "; stopped \(stopped)" }
            if let left = guest[at: fields.unstopped], left > 0 {
                line += "; \(left) app\(left == 1 ? "" : "s") did not stop yet"
            }
            return line.printable
        }
        let revoked = answer.text(CheckOutResult.fields.revoked)
        let lines = revoked.isEmpty ? guests : guests + ["Revoked: \(revoked)".printable]
        return lines.isEmpty ? ["No guests."] : lines
    }
}
