import ArgumentParser
import CastClient
import CastWire
import GatewayApp
import NIOPosix

/// `castway cast HOST check`
struct CastCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says whether the servers of a load give a receiver what it needs; plays nothing.",
        usage: "castway cast <host>[:<port>] check <url> ... [<options>]",
        discussion: """
            Takes what load takes, and asks the server of each address as the receiver's page would: whether it can be \
            reached, allows pages of other origins (CORS), says the right type and gives parts. This machine asks, for \
            five seconds each, and the device is left alone: what only one of them reaches may be told wrongly.

            Fails when the device would play or show nothing of something; warnings alone are no failure.

            Examples:
              castway cast hall.lan check http://192.0.2.9/one.mp4 --subtitles de=http://192.0.2.9/one.vtt
              castway cast hall.lan check http://192.0.2.9/live.m3u8 --json
            """)

    /// Host, addresses and options are those of a load.
    @OptionGroup var load: LoadCommand

    func validate() throws {
        if self.load.entity != nil {
            throw ValidationError("What --entity names is the app's own, so there is no address to ask.")
        }
    }

    func run() async throws {
        let message = self.load.command.body
        let check = MediaServerCheck(
            version: CastwayVersion.current, group: MultiThreadedEventLoopGroup.singleton)
        let answer = await ProgressLine.showing("asking the servers") { await check.ask(message) }
        if self.load.target.json {
            StandardOutput.write(lines: [JSONValue.object(answer).text])
        } else {
            StandardOutput.write(lines: Self.lines(answer))
        }
        guard answer.bool("fine") == true else {
            throw CommandFailure(.refused, "a receiver would not get all that it needs")
        }
    }

    /// The answer for people: a line for each address, and one for each finding below it.
    static func lines(_ answer: JSONObject) -> [String] {
        let places = answer.array("urls")?.compactMap(\.objectValue) ?? []
        var lines: [String] = []
        for place in places {
            let findings = place.array("findings")?.compactMap(\.objectValue) ?? []
            let verdict = place.bool("fine") == false ? "error" : findings.isEmpty ? "fine" : "warning"
            lines.append("\(verdict): \(place.string("role") ?? "") \((place.string("url") ?? "").printable)")
            for finding in findings {
                lines.append("  \(finding.string("code") ?? ""): \((finding.string("text") ?? "").printable)")
            }
        }
        if lines.isEmpty { lines.append("The load names no address that can be asked.") }
        let leftOut = answer.int("left_out") ?? 0
        return leftOut > 0 ? lines + ["\(leftOut) more addresses were not asked."] : lines
    }
}
