import ArgumentParser
import CastWire
import NIOCore
import NIOHTTP1

/// `castway plugin list`
struct PluginListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the plugins of the running gateway, and how they are.",
        discussion: """
            Examples:
              castway plugin list
              castway plugin list --json | jq -r '.plugins[] | select(.state != "ready") | .name'
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let reply = try await PluginRequest(self.control).send(.GET, "/api/v1/plugins")
        if self.output.isJSON { return StandardOutput.write(reply.body) }
        let plugins = try reply.object().array("plugins")?.compactMap(\.objectValue) ?? []
        guard !plugins.isEmpty else { return StandardOutput.write("no plugin is listed in plugins.instances\n") }
        let heading = ["NAME", "PLUGIN", "VERSION", "KIND", "STATE", "RESTARTS", "MEMORY", "READY FOR"]
        let rows = plugins.map { plugin in
            [
                plugin.string("name") ?? "", plugin.string("plugin") ?? "", plugin.string("version") ?? "",
                plugin.string("kind") ?? "", plugin.string("state") ?? "", plugin.int("restarts").map { "\($0)" } ?? "",
                plugin.int("rss_bytes").map { "\($0 / 1_048_576) MiB" } ?? "-",
                plugin.int("ready_ms").map { Duration.milliseconds($0).shown } ?? "-",
            ].map(\.printable)
        }
        let paint = Terminal.output
        let styles: [String: Paint.Style] = ["ready": .good, "failed": .error, "stopped": .faint]
        let lines = TextTable(rows: [heading] + rows).lines { column, cell in
            guard column == 4 else { return cell }
            return paint(cell, styles[cell] ?? .warning)
        }
        StandardOutput.write(lines: lines)
        for plugin in plugins {
            let name = plugin.string("name") ?? ""
            if let reason = plugin.string("reason") { StandardOutput.write("  \(name): \(reason)".printable + "\n") }
            for limit in plugin.array("unenforced")?.compactMap(\.stringValue) ?? [] {
                StandardOutput.write("  \(name): not enforced on this machine: \(limit)".printable + "\n")
            }
        }
    }
}

/// `castway plugin inspect`
struct PluginInspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Shows all that is known of one plugin of the running gateway.")

    @Argument(help: "The plugin's name in plugins.instances.")
    var name: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let reply = try await PluginRequest(self.control).send(.GET, PluginRequest.path(self.name))
        if self.output.isJSON { return StandardOutput.write(reply.body) }
        StandardOutput.write(lines: PluginSheet(try reply.object()).lines)
    }
}

/// `castway plugin enable`
struct PluginEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Runs a plugin of the running gateway that was disabled.")

    @Argument(help: "The plugin's name in plugins.instances.")
    var name: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await PluginRequest(self.control).change("enable", self.name, asJSON: self.output.isJSON)
    }
}

/// `castway plugin disable`
struct PluginDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Ends a plugin of the running gateway until it is enabled, or the gateway starts again.")

    @Argument(help: "The plugin's name in plugins.instances.")
    var name: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await PluginRequest(self.control).change("disable", self.name, asJSON: self.output.isJSON)
    }
}

/// `castway plugin restart`
struct PluginRestartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart",
        abstract: "Ends a plugin of the running gateway and starts it again; messages meanwhile follow its on_failure.")

    @Argument(help: "The plugin's name in plugins.instances.")
    var name: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        try await PluginRequest(self.control).change("restart", self.name, asJSON: self.output.isJSON)
    }
}

/// Asks the running gateway about its plugins.
struct PluginRequest {
    private let client: ControlClient

    init(_ control: ControlOption) throws {
        self.client = ControlClient(address: try control.find().address)
    }

    /// Sends a request.
    /// - Throws: ``CommandFailure`` for anything but success.
    func send(_ method: HTTPMethod, _ uri: String) async throws -> ControlReply {
        let reply = try await self.client.send(method, uri, timeout: .seconds(30))
        guard reply.status == 200 else { throw Self.failure(reply) }
        return reply
    }

    /// Enables, disables or restarts a plugin, and prints the state that it is in then.
    /// - Throws: ``CommandFailure`` when the gateway refuses.
    func change(_ action: String, _ name: String, asJSON: Bool) async throws {
        let reply = try await self.send(.POST, Self.path(name, "/\(action)"))
        if asJSON { return StandardOutput.write(reply.body) }
        let state = try reply.object().string("state") ?? "asked to \(action)"
        StandardOutput.write("\(name) is \(state)".printable + "\n")
    }

    /// Asks for lines, and gives each as it comes, until the gateway or the task ends it.
    /// - Throws: ``CommandFailure`` when the gateway refuses.
    func lines(_ uri: String, each: (String) -> Void) async throws {
        try await self.client.lines(uri, failure: Self.failure, each: each)
    }

    /// The path of a plugin's resource.
    static func path(_ name: String, _ rest: String = "") -> String {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-".utf8)
        let escaped = name.utf8.map { byte in
            if allowed.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }
        return "/api/v1/plugins/\(escaped.joined())\(rest)"
    }

    private static func failure(_ reply: ControlReply) -> CommandFailure {
        let error = (try? JSONReader.read(reply.body))?.objectValue?.object("error")
        return CommandFailure(.refused, error?.string("message") ?? "the gateway answered with status \(reply.status)")
    }
}

extension ControlReply {
    /// The body as a JSON object.
    /// - Throws: ``CommandFailure`` when it is none.
    func object() throws -> JSONObject {
        guard let object = (try? JSONReader.read(self.body))?.objectValue else {
            throw CommandFailure(.refused, "the gateway answered with something that is no JSON")
        }
        return object
    }
}
