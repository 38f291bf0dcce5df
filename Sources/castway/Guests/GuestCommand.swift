import ArgumentParser
import CastWire
import GatewayOperations
import Glibc

/// `castway guest`
struct GuestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guest", abstract: "Lists the guests who have redeemed a join code, and checks them out.",
        discussion: """
            Examples:
              castway guest list
              castway guest check-out g-4kq7h2mzp9
              castway guest check-out --device room-12
            """,
        subcommands: [GuestListCommand.self, GuestCheckOutCommand.self])
}

/// `castway guest list`
struct GuestListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the guests who have redeemed a join code, and have not checked out.",
        discussion: """
            Example:
              castway guest list
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let answer = try await OperationRequest(self.control).call("guests.list")
        if self.output.isJSON { return StandardOutput.write(answer) }
        let guests = answer.array("guests")?.compactMap(\.objectValue) ?? []
        let time = LocalTime(now: Glibc.time(nil))
        let heading = ["ID", "NAME", "DEVICES", "ADDRESS", "TOKEN", "SINCE", "ENDS"]
        let rows = guests.map { guest in
            [
                guest.string("id") ?? "", guest.string("name") ?? "",
                (guest.array("devices") ?? []).compactMap(\.stringValue).joined(separator: ", "),
                guest.string("address") ?? "-", guest.string("token") ?? "-", time.text(utc: guest.string("joined")),
                time.text(utc: guest.string("expires")),
            ].map(\.printable)
        }
        StandardOutput.write(lines: guests.isEmpty ? ["No guests."] : TextTable(rows: [heading] + rows).lines)
    }
}

/// `castway guest check-out`
struct GuestCheckOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-out",
        abstract: "Checks out a guest, or all guests of a device: closes their connections, and stops what they play.",
        discussion: """
            With --device, codes for the device that can still be redeemed are revoked too.

            Examples:
              castway guest check-out g-4kq7h2mzp9
              castway guest check-out --device room-12
            """)

    @Argument(help: "The guest's id as 'castway guest list' shows it.")
    var guest: String?

    @Option(help: ArgumentHelp("All guests of this device.", valueName: "name"))
    var device: String?

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func validate() throws {
        guard (self.guest == nil) != (self.device == nil) else {
            throw ValidationError("Give a guest, or --device.")
        }
    }

    func run() async throws {
        var input: JSONObject = [:]
        if let guest { input["guest"] = .string(guest) }
        if let device { input["device"] = .string(device) }
        let answer = try await OperationRequest(self.control).call("guest.check_out", input)
        if self.output.isJSON { return StandardOutput.write(answer) }
        let guests = answer.array("guests")?.compactMap(\.objectValue) ?? []
        var lines = guests.map { guest in
            let closed = guest.int("closed") ?? 0
            let stopped = (guest.array("stopped") ?? []).compactMap(\.stringValue)
            var line = "\(guest.string("name") ?? "") (\(guest.string("id") ?? "")) is checked out"
            if closed > 0 { line += "; \(closed) connection\(closed == 1 ? "" : "s") closed" }
            if !stopped.isEmpty { line += "; stopped \(stopped.joined(separator: ", "))" }
            if let left = guest.int("unstopped"), left > 0 {
                line += "; \(left) app\(left == 1 ? "" : "s") did not stop yet"
            }
            return line.printable
        }
        let revoked = (answer.array("revoked") ?? []).compactMap(\.stringValue)
        if !revoked.isEmpty { lines.append("Revoked: \(revoked.joined(separator: ", "))".printable) }
        StandardOutput.write(lines: lines.isEmpty ? ["No guests."] : lines)
    }
}
