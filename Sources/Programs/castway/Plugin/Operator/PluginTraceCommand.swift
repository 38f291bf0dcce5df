import ArgumentParser
import CastWire
import SystemPrimitives

struct PluginTraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "trace", "Shows what the running gateway and a plugin say to each other, as it happens.",
        """
        Payloads are left out unless --payloads is given, since they can hold what is private; in JSON the \
        lines are printed as the gateway gives them, payloads included. It ends with the plugin's process, or when it \
        is interrupted.
        """,
        examples: [
            "castway plugin trace hello", "castway plugin trace hello --payloads",
            "castway plugin trace hello --json > hello.jsonl",
        ])

    @Argument(help: "The plugin's name in plugins.instances.") var name: String
    @Flag(help: "Shows whole lines, with what messages say.") var payloads = false
    @OptionGroup var output: OutputOption<TextOrJSON>
    @OptionGroup var control: ControlOption

    func run() async throws {
        var view = PluginTraceView(showsPayloads: self.payloads)
        let path = "/api/v1/plugins/\(self.name.percentEncoded())/trace"
        try await OperationRequest(self.control).lines(path) { line in
            StandardOutput.write(self.output.isJSON ? "\(line)\n" : view.line(line).printable + "\n")
        }
    }
}

/// Puts the lines of a trace into a form for people: time, way, and what is said; answers with how long they took.
struct PluginTraceView {
    let showsPayloads: Bool
    private var begin: Int?
    /// What is asked and not answered, by way and id.
    private var open: [String: (what: String, at: Int)] = [:]

    init(showsPayloads: Bool) { self.showsPayloads = showsPayloads }

    /// The form of one line of `GET /api/v1/plugins/NAME/trace`.
    mutating func line(_ text: String) -> String {
        guard let record = (try? JSONReader.read(text))?.objectValue, let said = record.string("line"),
            let now = record.int("uptime_us")
        else { return text }
        let isToPlugin = record.string("direction") == "to_plugin"
        let began = self.begin ?? now
        self.begin = began
        let time = Self.decimal(now - began, places: 6).padded(to: 11)
        return "\(time) \(isToPlugin ? "->" : "<-") \(self.summary(said, isToPlugin: isToPlugin, at: now))"
    }

    private mutating func summary(_ said: String, isToPlugin: Bool, at now: Int) -> String {
        guard let json = (try? JSONReader.read(said))?.objectValue else {
            return "no message of the protocol, \(said.utf8.count) bytes" + (self.showsPayloads ? ": \(said)" : "")
        }
        let whole = self.showsPayloads ? "  \(said)" : ""
        let id = json["id"].map(\.text)
        if let method = json.string("method") {
            let what = Self.what(method, json.object("params") ?? [:])
            guard let id else { return what + whole }
            // Beyond this the other end has stopped answering, and nothing is gained by remembering more.
            if self.open.count < 10_000 { self.open["\(isToPlugin) \(id)"] = (method, now) }
            return "\(id) \(what)\(whole)"
        }
        let asked = self.open.removeValue(forKey: "\(!isToPlugin) \(id ?? "")")
        let time = asked.map { " after \(Self.decimal(now - $0.at, places: 3)) ms" } ?? ", which was not asked"
        if let error = json.object("error") {
            return
                "\(id ?? "?") \(asked?.what ?? "answer") failed\(time): \(error.string("message") ?? "") (\(error.int("code") ?? 0))\(whole)"
        }
        let outcome = json.object("result")?.string("disposition").map { " \($0)" } ?? ""
        let effects = json.object("result")?.array("effects")?.compactMap { $0.objectValue?.string("do") } ?? []
        let more = effects.isEmpty ? "" : " + \(effects.joined(separator: ", "))"
        return "\(id ?? "?") \(asked?.what ?? "answer") done\(outcome)\(more)\(time)\(whole)"
    }

    /// A request or a notification in a few words.
    private static func what(_ method: String, _ params: JSONObject) -> String {
        let message = params.object("message") ?? params
        let words = [
            params.string("phase"), params.string("disposition"), message.string("namespace"), message.string("type"),
            message.string("device").map { "on \($0)" }, params.string("event"), params.string("key"),
            params.string("level"),
        ]
        return ([method] + words.compactMap { $0 }).joined(separator: " ")
    }

    /// A whole number with a point before its last digits.
    private static func decimal(_ value: Int, places: Int) -> String {
        let digits = String(max(0, value))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return "\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}
