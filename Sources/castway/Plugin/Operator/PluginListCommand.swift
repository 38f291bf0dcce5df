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
        StandardOutput.write(lines: TextTable(rows: [heading] + rows).lines)
        for plugin in plugins {
            let name = plugin.string("name") ?? ""
            if let reason = plugin.string("reason") { StandardOutput.write("  \(name): \(reason)".printable + "\n") }
            for limit in plugin.array("unenforced")?.compactMap(\.stringValue) ?? [] {
                StandardOutput.write("  \(name): not enforced on this machine: \(limit)".printable + "\n")
            }
        }
    }
}
