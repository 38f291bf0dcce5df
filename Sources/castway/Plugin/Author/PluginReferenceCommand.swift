import ArgumentParser
import PluginHosting

/// `castway plugin reference`
struct PluginReferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference",
        abstract: "Prints what every key of plugin.yaml means, in Markdown.")

    func run() {
        let reference = PluginManifest.referenceMarkdown()
        StandardOutput.write(reference.hasSuffix("\n") ? reference : reference + "\n")
    }
}
