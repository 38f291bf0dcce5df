import ArgumentParser
import CastClient
import CastWire
import DeviceControl
import GatewayOperations
import NIOPosix

struct CastCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "check", "Says whether the servers of a load give a receiver what it needs; plays nothing.",
        arguments: "<url> ... [<options>]",
        """
        Takes what load takes, and asks the server of each address as the receiver's page would: whether it can be \
        reached, allows pages of other origins (CORS), says the right type and gives parts. This machine asks, for \
        five seconds each, and the device is left alone: what only one of them reaches may be told wrongly.

        Fails when the device would play or show nothing of something; warnings alone are no failure.
        """,
        examples: [
            "castway cast hall.lan check http://192.0.2.9/one.mp4 --subtitles de=http://192.0.2.9/one.vtt",
            "castway cast hall.lan check http://192.0.2.9/live.m3u8 --json",
        ])

    /// Host, addresses and options are those of a load.
    @OptionGroup var load: LoadCommand

    func validate() throws {
        if self.load.entity != nil {
            throw ValidationError("What --entity names is the app's own, so there is no address to ask.")
        }
    }

    func run() async throws {
        let message = self.load.command.body
        let check = MediaServerCheck(version: CastwayVersion.current, group: MultiThreadedEventLoopGroup.singleton)
        let answer = await ProgressLine.showing("asking the servers") { await check.ask(message) }
        self.load.target.output.write([answer], else: Self.lines(answer))
        guard answer[at: MediaServersResult.fields.isFine] == true else {
            throw CommandFailure(.refused, "a receiver would not get all that it needs")
        }
    }

    /// The answer for people: a line for each address, and one for each finding below it.
    static func lines(_ answer: JSONObject) -> [String] {
        let places = answer[at: MediaServersResult.fields.sources] ?? []
        var lines: [String] = []
        for place in places {
            let findings = place[at: MediaSourceResult.fields.findings] ?? []
            let verdict =
                place[at: MediaSourceResult.fields.isFine] == false ? "error" : findings.isEmpty ? "fine" : "warning"
            let role = place[at: MediaSourceResult.fields.role]?.rawValue ?? ""
            lines.append("\(verdict): \(role) \((place[at: MediaSourceResult.fields.url] ?? "").printable)")
            for finding in findings {
                let code = finding[at: MediaFindingResult.fields.code]?.rawValue ?? ""
                lines.append("  \(code): \((finding[at: MediaFindingResult.fields.text] ?? "").printable)")
            }
        }
        if lines.isEmpty { lines.append("The load names no address that can be asked.") }
        let leftOut = answer[at: MediaServersResult.fields.leftOut] ?? 0
        return leftOut > 0 ? lines + ["\(leftOut) more addresses were not asked."] : lines
    }
}
